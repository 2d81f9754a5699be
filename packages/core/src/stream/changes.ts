interface Changeable<Item> {
  /** Something is new since it was read. */
  isChanged: boolean;
  nextChanged: Item | undefined;
}

/** What changed since it was read, each once and in order: a list through the items themselves, so that reading allocates nothing. */
export class Changes<Item extends Changeable<Item>> {
  #first: Item | undefined = undefined;
  #last: Item | undefined = undefined;

  add(item: Item): void {
    if (item.isChanged) return;
    item.isChanged = true;
    item.nextChanged = undefined;
    if (this.#last === undefined) this.#first = item;
    else this.#last.nextChanged = item;
    this.#last = item;
  }

  /** The first item, from which `nextChanged` leads to the others; the list is empty then. */
  take(): Item | undefined {
    const first = this.#first;
    this.#first = undefined;
    this.#last = undefined;
    return first;
  }
}
