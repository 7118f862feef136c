/**
 * Variables by which git asks for the token when it pushes over https and no helper of the user's knows better. It stands
 * in no argument and no file; only git's own helper process reads it.
 */
export function withToken(host: string, token: string): Record<string, string> {
  const helper = '!f() { test "$1" = get && printf "username=x-access-token\\npassword=%s\\n" "$LOCKSTEP_PUSH_TOKEN"; }; f';
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `credential.https://${host}.helper`,
    GIT_CONFIG_VALUE_0: helper,
    LOCKSTEP_PUSH_TOKEN: token,
  };
}
