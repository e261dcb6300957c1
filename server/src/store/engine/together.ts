// Steps of one transaction that do not wait for each other: begun in order, so that PostgreSQL gets their statements in one round trip.

/**
 * Waits for every step, also when one fails, and then throws the first failure: a step that was still running when the transaction is
 * rolled back would write outside of it.
 */
export async function together<Item>(items: readonly Item[], step: (item: Item) => Promise<void>): Promise<void> {
  const ended = await Promise.allSettled(items.map(step))
  const failed = ended.find((each) => each.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
