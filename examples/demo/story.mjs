// What the events of the run tell: each sentence with whether it is true.

export function told(events) {
  const attempts = attemptsOf(events);
  const byAgents = attempts.filter(({ agent }) => agent !== "nobody");
  const most = mostAtOnce(byAgents);
  const red = events.find(
    ({ type, task, attempt, data }) =>
      type === "check.recorded" && task === "T-1" && attempt === 1 && data.result.outcome === "red",
  );
  const boasted = events.some(
    ({ type, task, data }) => type === "attempt.settled" && task === "T-1" && data.summary === "All tests pass",
  );
  const mended = attempts.some(({ task, n }) => task === "T-1" && n === 2) && isVerified(events, "T-1");
  const answered = events.find(({ type }) => type === "item.answered");
  const [discounts, tax] = ["D-1", "T-1"].map((task) => byAgents.find((each) => each.task === task && each.n === 1));
  return [
    { text: `${most} agents were at work at once`, ok: most >= 3 },
    {
      text: "T-1 said that all tests pass; its check was red, and the next try mended what the check had said",
      ok: boasted && red !== undefined && mended,
    },
    {
      text: "E-1 asked which currency, waited, and went on with the answer",
      ok: answered !== undefined && isVerified(events, "E-1"),
    },
    { text: "D-1 and T-1 changed src/rates.js at the same time, and git merged them", ok: overlap(discounts, tax) },
    costOf(events, byAgents.length),
  ];
}

function attemptsOf(events) {
  const ends = new Map(
    events.filter(({ type }) => type === "attempt.settled").map(({ task, attempt, at }) => [`${task}#${attempt}`, at]),
  );
  return events
    .filter(({ type }) => type === "attempt.created")
    .map(({ task, attempt: n, at, data }) => ({
      task,
      n,
      agent: data.attempt.agent,
      from: at,
      to: ends.get(`${task}#${n}`) ?? at,
    }));
}

function mostAtOnce(attempts) {
  return Math.max(
    0,
    ...attempts.map(({ from }) => attempts.filter((other) => other.from <= from && from < other.to).length),
  );
}

function overlap(one, other) {
  return one !== undefined && other !== undefined && one.from < other.to && other.from < one.to;
}

function isVerified(events, task) {
  return events.some((event) => event.type === "task.verified" && event.task === task);
}

function costOf(events, attempts) {
  const ends = events
    .filter(({ type, data }) => type === "attempt.settled" && data.usage !== null)
    .map(({ data }) => data);
  const sum = (number) => ends.reduce((total, end) => total + number(end), 0);
  const [read, written] = [sum(({ usage }) => usage.input), sum(({ usage }) => usage.output)].map((tokens) =>
    tokens.toLocaleString("en"),
  );
  const cost = sum(({ cost_usd }) => cost_usd ?? 0);
  return {
    text: `${attempts} attempts took ${read} tokens and gave ${written}, for $${cost.toFixed(2)} (the script's figures: no model was asked)`,
    ok: ends.length === attempts && cost > 0,
  };
}
