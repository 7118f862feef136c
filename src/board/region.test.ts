import { expect, test } from "vitest";
import { FakeTerminal } from "../../test/fixtures/terminal.ts";
import { Region } from "./region.ts";
import type { Screen } from "./screen.ts";

function regionOn(columns = 20, rows = 10) {
  const shown = { terminal: new FakeTerminal(columns, rows), writes: 0 };
  const screen: Screen = {
    write: (text) => {
      shown.writes += 1;
      shown.terminal.write(text);
    },
    size: () => shown.terminal,
    onResize: () => () => undefined,
    paint: (_style, text) => text,
  };
  return { region: new Region(screen), shown, print: (line: string) => shown.terminal.write(`${line}\n`) };
}

test("lines are drawn in place, whether there are more or fewer of them than before", () => {
  const { region, shown, print } = regionOn();
  print("$ lockstep run");
  region.draw(["one", "two"]);
  expect(shown.terminal.lines).toEqual(["$ lockstep run", "one", "two"]);
  region.draw(["1", "2", "3"]);
  expect(shown.terminal.lines).toEqual(["$ lockstep run", "1", "2", "3"]);
  region.draw(["last"]);
  expect(shown.terminal.lines).toEqual(["$ lockstep run", "last"]);
});

test("nothing is written when nothing has changed", () => {
  const { region, shown } = regionOn();
  region.draw(["one"]);
  region.draw(["one"]);
  expect(shown.writes).toBe(1);
});

test("what is printed meanwhile scrolls above the region", () => {
  const { region, shown, print } = regionOn(20, 4);
  region.draw(["one", "two"]);
  for (const line of ["a", "b", "c", "d is longer than a row of it", "e"]) region.above(() => print(line));
  expect(shown.terminal.lines).toEqual(["a", "b", "c", "d is longer than a r", "ow of it", "e", "one", "two"]);
});

test("the cursor is hidden while there is a region, and comes back", () => {
  const { region, shown, print } = regionOn();
  region.above(() => print("before"));
  expect(shown.terminal.isCursorVisible).toBe(true);
  region.draw(["one"]);
  expect(shown.terminal.isCursorVisible).toBe(false);
  region.leave();
  expect(shown.terminal.isCursorVisible).toBe(true);
  region.draw(["two"]);
  expect(shown.terminal.isCursorVisible).toBe(false);
  region.close();
  region.close();
  expect(shown.terminal).toMatchObject({ isCursorVisible: true, lines: ["before", "one"] });
});

test("a terminal that has become narrower is drawn on anew, with nothing left of what it broke", () => {
  const { region, shown, print } = regionOn(20);
  print("$ lockstep run");
  region.draw(["twenty characters ok", "\u001b[2m購物車購物車\u001b[0m", "short"]);
  shown.terminal = shown.terminal.narrowed(10);
  expect(shown.terminal.lines).toHaveLength(2 + 2 + 2 + 1);
  region.draw(["twenty ch…", "short"]);
  expect(shown.terminal.lines).toEqual(["$ lockstep", " run", "twenty ch…", "short"]);
});

test("a line that the terminal takes for wider than it is never breaks", () => {
  const { region, shown } = regionOn(5);
  region.draw(["1234567", "b"]);
  expect(shown.terminal.lines).toEqual(["12345", "b"]);
});
