/** The settings that an OpenCode server gets for one turn, and the rules by which it asks. Pure. */

import type { McpServer } from "../../ports/agent.ts";
import { type Fields, fieldsOfLine, list, object, text } from "./wire-fields.ts";

/** What lockstep rules on, by OpenCode's own names. Of what lies outside its place, the places that it allows stay allowed. */
const RULED = ["bash", "edit", "webfetch"] as const;
const OUTSIDE = "external_directory";

/** Its variable for settings that come before those of its user's files. */
export const CONFIG_VARIABLE = "OPENCODE_CONFIG_CONTENT";

export interface OpenCodeWishes {
  mcp: readonly McpServer[];
  /** It asks nobody before it uses its tools. */
  bypass: boolean;
}

/**
 * The settings as JSON, over those that the variable holds already: nothing is shared, nothing replaced, a refused tool
 * does not end its turn, and nobody is asked who does not sit there. Null where what the variable holds is no JSON.
 */
export function openCodeConfig(before: string | undefined, { mcp, bypass }: OpenCodeWishes): string | null {
  const own = before === undefined || before.trim() === "" ? {} : fieldsOfLine(before.trim());
  if (own === null) return null;
  const servers = Object.fromEntries(mcp.map((server) => [server.name, serverOf(server)]));
  return JSON.stringify({
    ...own,
    autoupdate: false,
    share: "disabled",
    permission: { ...permissionsOf(own["permission"], bypass), question: "deny" },
    mcp: { ...object(own["mcp"]), ...servers },
    experimental: { ...object(own["experimental"]), continue_loop_on_deny: true },
  });
}

function permissionsOf(given: unknown, bypass: boolean): Fields {
  const own = typeof given === "string" ? { "*": given } : object(given);
  if (bypass) return own;
  // Of an object only its "*" is taken: what is refused by a narrower pattern stays refused.
  const asked = ["bash", "edit", OUTSIDE].map((name) => [name, { ...objectOnly(own[name]), "*": "ask" }]);
  return { ...own, ...Object.fromEntries(asked), webfetch: "ask" };
}

function objectOnly(value: unknown): Fields {
  return typeof value === "string" ? {} : object(value);
}

function serverOf(server: McpServer): Fields {
  if ("url" in server) {
    return { type: "remote", url: server.url, headers: server.headers, oauth: false, enabled: true };
  }
  const command = [server.command, ...server.args];
  return { type: "local", command, environment: server.env, enabled: true };
}

/**
 * The rules of a conversation, from those of its agent as the server tells them (`GET /agent`): where those allow what
 * lockstep rules on it asks instead; what they refuse stays refused. With `bypass` it asks nothing. The last rule that fits
 * counts. Only rules that differ need to be told, but their order is part of what they mean.
 */
export function openCodeRules(agent: unknown, bypass: boolean): Fields[] {
  const rules = list(object(agent)["permission"]).filter((rule) => text(rule["permission"]) !== null);
  return bypass ? rules.map(allowed) : rules.flatMap(guarded);
}

function allowed(rule: Fields): Fields {
  return rule["action"] === "ask" ? { ...rule, action: "allow" } : rule;
}

function guarded(rule: Fields): Fields[] {
  if (rule["action"] !== "allow") return [rule];
  const { permission, pattern } = rule;
  if (permission === "*") {
    return [rule, ...[...RULED, OUTSIDE].map((name) => ({ permission: name, pattern, action: "ask" }))];
  }
  const isRuled = (RULED as readonly unknown[]).includes(permission) || (permission === OUTSIDE && pattern === "*");
  return [isRuled ? { ...rule, action: "ask" } : rule];
}

/** `provider/model`; null where it is not of that form. */
export function openCodeModel(name: string): { providerID: string; modelID: string } | null {
  const at = name.indexOf("/");
  return at < 1 || at === name.length - 1 ? null : { providerID: name.slice(0, at), modelID: name.slice(at + 1) };
}

/**
 * Why a model cannot be had with a variant, from what the server tells of its models (`GET /config/providers`); null where
 * it can, or where it tells nothing of the model. Asked for one that it does not have, it would work without a word.
 */
export function variantProblem(told: unknown, model: string, variant: string): string | null {
  const named = openCodeModel(model);
  const provider = list(object(told)["providers"]).find((each) => each["id"] === named?.providerID);
  const models = object(provider?.["models"]);
  if (named === null || !Object.hasOwn(models, named.modelID)) return null;
  const known = Object.keys(object(object(models[named.modelID])["variants"]));
  if (known.includes(variant)) return null;
  const has = known.length === 0 ? "none" : known.slice(0, NAMED_MAX).join(", ");
  return `its model ${model} has no variant ${JSON.stringify(variant)}: it has ${has}`;
}

/** So many of what there is are named. */
const NAMED_MAX = 12;
