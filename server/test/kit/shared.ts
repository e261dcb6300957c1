// Services and runtimes that the tests of one suite share: opened before the first test, removed
// after the last one.
import { after, before } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import type { TestService } from './service.ts'
import type { StoreKind } from './stores.ts'

/** Empty until the suite begins: read its fields in hooks and tests only. */
export function shared<Opened extends { remove(): Promise<unknown> }>(
  open: () => Promise<Opened>,
): Opened {
  const held = {} as Opened
  before(async () => void Object.assign(held, await open()))
  after(() => held.remove?.())
  return held
}

/** The service with the fields of its first merchant's sandbox account. */
export const sharedWithAccount = <Opened extends TestService>(
  open: () => Promise<Opened>,
): Opened & NewAccount =>
  shared(async () => {
    const service = await open()
    return { ...service, ...(await service.merchant()).accounts.sandbox }
  })

/** A store without HTTP and workers. */
export async function openTestRuntime(
  store: StoreKind,
  ...wishes: Parameters<StoreKind['makePlace']>
) {
  const place = await store.makePlace(...wishes)
  const runtime = await openRuntime(place.config)
  const remove = async (): Promise<void> => {
    await runtime.close()
    await place.remove()
  }
  return { ...runtime, place, remove }
}
