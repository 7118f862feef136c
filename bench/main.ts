import { checkLoop } from "./check-loop.ts";
import { print } from "./measure.ts";

print(await checkLoop());
