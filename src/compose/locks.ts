export { sqliteLocks } from "../adapters/store/sqlite/sqlite-locks.ts";
