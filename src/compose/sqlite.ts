import { connect } from "../adapters/store/sqlite/driver.ts";
import { StoreUnavailable } from "../ports/store.ts";

export { openSqliteStore } from "../adapters/store/sqlite/sqlite-store.ts";

/** Why no store can be opened on this machine, or null: nothing is written to find out. */
export async function driverProblem(): Promise<StoreUnavailable | null> {
  try {
    (await connect(":memory:")).close();
    return null;
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
}
