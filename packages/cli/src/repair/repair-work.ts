import type { Shape } from "translogue";
import { checkTarget, type Policies, repair } from "translogue/targets";
import { Writer } from "../convert/writer.ts";
import { endpointOf, forShape, withModel } from "../endpoints/endpoint.ts";
import { remarksOf } from "../reading/remark.ts";
import type { Done, Read, Work } from "../reading/work.ts";

export interface RepairOrder {
  /** Absent = of the provider whose format it is. */
  readonly target?: string | undefined;
  readonly model?: string | undefined;
  readonly policies: Partial<Policies>;
  /** Format to write. Absent = the one that it was read in. */
  readonly to?: string | undefined;
  /** Shape to write. Absent = the one that it was read in. */
  readonly shape?: Shape | undefined;
  /** Whether nothing is written. */
  readonly dryRun: boolean;
}

/** Mends what an endpoint would refuse of each conversation, and says what was done and what no repair mends. */
export class RepairWork implements Work {
  readonly #order: RepairOrder;
  /** By format. */
  readonly #writers = new Map<string, Writer>();

  /** Throws `format/unknown` and the like for a format to write that there is not. */
  constructor(order: RepairOrder) {
    this.#order = order;
    if (order.to !== undefined) this.#writer(order.to);
  }

  conversation(read: Read): Done {
    const { target: asked, model, policies, shape } = this.#order;
    const endpoint = forShape(endpointOf(read.format, asked), shape ?? read.shape);
    const options = { ...policies, ...withModel(model) };
    const { conversation, changes } = repair(read.conversation, endpoint, options);
    const unmended = checkTarget(conversation, endpoint, withModel(model));
    const { text, remarks } = this.#written(read, changes.length > 0 ? conversation : undefined);
    return {
      text: this.#order.dryRun ? "" : text,
      remarks: [
        ...remarksOf({ issues: read.issues, losses: read.losses }),
        ...changes.map(change => ({ change })),
        ...remarksOf({ issues: unmended }),
        ...remarks,
      ],
      note: {
        of: "repair",
        changes: changes.length,
        unmended: unmended.filter(({ severity }) => severity === "error").length,
      },
    };
  }

  /** What needed no repair goes out as the text that came in. */
  #written(read: Read, repaired: Read["conversation"] | undefined): Pick<Done, "text" | "remarks"> {
    const { to, shape = read.shape } = this.#order;
    const { text, conversation, format, indent } = read;
    if (to === undefined && shape === read.shape && !repaired && text !== undefined) {
      const isWhole = indent > 0 || text.endsWith("\n");
      return { text: isWhole ? text : `${text}\n`, remarks: [] };
    }
    // By its id alone: the writer keeps the dialect, or takes the next where that is only read.
    return this.#writer(to ?? format.codec.id).write(repaired ?? conversation, read, indent);
  }

  #writer(to: string): Writer {
    const known = this.#writers.get(to);
    if (known) return known;
    const { to: asked, shape } = this.#order;
    const writer = new Writer({ to, ...(shape && { shape }), ...(asked !== undefined && { recipient: "provider" }) });
    this.#writers.set(to, writer);
    return writer;
  }
}
