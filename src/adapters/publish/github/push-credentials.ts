/**
 * Variables by which git takes the token, and nothing else, when it pushes to the host over https. It stands in no argument,
 * and no helper of the user's is told of it, who would write it to a file.
 */
export function withToken(host: string, token: string): Record<string, string> {
  const key = `credential.https://${host}.helper`;
  const helper =
    '!f() { test "$1" = get && printf "username=x-access-token\\npassword=%s\\n" "$LOCKSTEP_PUSH_TOKEN"; }; f';
  return {
    GIT_CONFIG_COUNT: "2",
    // An empty one forgets those before it.
    ...{ GIT_CONFIG_KEY_0: key, GIT_CONFIG_VALUE_0: "" },
    ...{ GIT_CONFIG_KEY_1: key, GIT_CONFIG_VALUE_1: helper },
    LOCKSTEP_PUSH_TOKEN: token,
  };
}
