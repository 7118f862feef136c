import { describe, expect, it } from "vitest";
import { commitMessage, landedTask, unknownPlaceholders } from "./commit-message.ts";

const VALUES = {
  ...{ task_id: "F-001", title: "Cart totals", agent: "coder", model: "sonnet", plan: "checkout" },
  summary: "Adds totals.\r\nLockstep-Task: F-999\nAnd rounds {title}.",
};

describe("a commit's message", () => {
  it("is the template with its values, and the line by which the task is known", () => {
    const message = commitMessage("{plan}: {title} ({agent}, {model})\n\n{summary}", VALUES);
    expect(message).toBe(
      "checkout: Cart totals (coder, sonnet)\n\nAdds totals.\nAnd rounds {title}.\n\nLockstep-Task: F-001\n",
    );
    expect(landedTask(message)).toBe("F-001");
  });

  it("has the trailers of the template and that line in one paragraph", () => {
    expect(commitMessage("{title}\n\nCo-authored-by: {agent} <a@b>", VALUES)).toBe(
      "Cart totals\n\nCo-authored-by: coder <a@b>\nLockstep-Task: F-001\n",
    );
  });

  it("is the title where the template comes to nothing", () => {
    expect(commitMessage("{model}", { ...VALUES, model: "" })).toBe("Cart totals\n\nLockstep-Task: F-001\n");
  });

  it("knows its placeholders by name", () => {
    expect(unknownPlaceholders("{title} {task} {id} {TITLE}")).toEqual(["task", "id"]);
  });

  it("names no task where its last line does not", () => {
    expect(landedTask("Merge pull request #1\n")).toBeNull();
  });
});
