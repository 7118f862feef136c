/** What the agent offers for a conversation (`session/new` and its like), and what must be asked of it to get what is wanted. */

import { type Fields, list, object, text } from "./wire-fields.ts";

/** What the configuration wants; null: the agent's own. */
export interface AcpWishes {
  mode: string | null;
  model: string | null;
  effort: string | null;
}

export type AcpSetting =
  | { kind: "request"; method: string; params: Fields }
  /** It cannot be had; `problem` says what there is. */
  | { kind: "problem"; problem: string };

/** The model that it works with, where it says so. */
export function modelOf(session: Fields): string | null {
  return text(object(session["models"])["currentModelId"]) ?? text(optionOf(session, "model")?.["currentValue"]);
}

/** The requests that make the session what is wanted, in order. What it is already needs none. */
export function settingsFor(session: Fields, { mode, model, effort }: AcpWishes): AcpSetting[] {
  const settings = [
    mode === null ? null : modeSetting(session, mode),
    model === null ? null : modelSetting(session, model),
    effort === null ? null : optionSetting(session, "thought_level", effort, "effort"),
  ];
  return settings.filter((setting) => setting !== null);
}

/** A request that changes nothing: what it told before is told when it answers. Null where there is none. */
export function barrierFor(session: Fields): { method: string; params: Fields } | null {
  const modeId = text(object(session["modes"])["currentModeId"]);
  return modeId === null ? null : { method: "session/set_mode", params: { modeId } };
}

function modeSetting(session: Fields, mode: string): AcpSetting | null {
  const { currentModeId, availableModes } = object(session["modes"]);
  const ids = list(availableModes).flatMap(({ id }) => text(id) ?? []);
  if (ids.length === 0) return optionSetting(session, "mode", mode, "mode");
  if (currentModeId === mode) return null;
  if (!ids.includes(mode)) return { kind: "problem", problem: noSuch("mode", mode, ids) };
  return { kind: "request", method: "session/set_mode", params: { modeId: mode } };
}

function modelSetting(session: Fields, model: string): AcpSetting | null {
  const models = object(session["models"]);
  if (list(models["availableModels"]).length === 0) return optionSetting(session, "model", model, "model");
  if (models["currentModelId"] === model) return null;
  // It may know more models than it lists: whether it knows this one is its own to say.
  return { kind: "request", method: "session/set_model", params: { modelId: model } };
}

function optionSetting(session: Fields, category: string, value: string, name: string): AcpSetting | null {
  const option = optionOf(session, category);
  const configId = text(option?.["id"]);
  if (option === undefined || configId === null) {
    return { kind: "problem", problem: `it does not let its ${name} be chosen: leave \`${name}\` out` };
  }
  if (option["currentValue"] === value) return null;
  const values = list(option["options"]).flatMap((choice) => [choice, ...list(choice["options"])]);
  const known = values.flatMap((choice) => text(choice["value"]) ?? []);
  if (!known.includes(value)) return { kind: "problem", problem: noSuch(name, value, known) };
  return { kind: "request", method: "session/set_config_option", params: { configId, value } };
}

function optionOf(session: Fields, category: string): Fields | undefined {
  return list(session["configOptions"]).find((option) => option["category"] === category);
}

/** So many of what there is are named. */
const NAMED_MAX = 12;

function noSuch(what: string, wanted: string, known: string[]): string {
  const more = known.length > NAMED_MAX ? " and more" : "";
  return `it has no ${what} ${JSON.stringify(wanted)}: it has ${known.slice(0, NAMED_MAX).join(", ")}${more}`;
}
