// Lists in the text of a statement. Each text is prepared once and kept, and with a text for every length of a list of
// a thousand, a connection to PostgreSQL kept hundreds of megabytes.

/** As long as the next power of two. The filler must add nothing to the answer: in an `in`, the last one again. */
export function padded<Item>(items: readonly Item[], filler = items.at(-1) as Item): Item[] {
  let length = items.length === 0 ? 0 : 1
  while (length < items.length) length *= 2
  return [...items, ...Array<Item>(length - items.length).fill(filler)]
}
