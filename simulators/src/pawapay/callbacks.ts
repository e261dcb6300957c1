// Sends callbacks, signed if the account wants that, for a quarter of an hour until they are answered with 200.
import type { PartDeps, WireCallback } from '../network.ts'
import type { AccountSettings } from './account.ts'
import type { FaultName } from './numbers-and-faults.ts'
import { type Encoding, makeSigningKey, signedHeaders, unsignedHeaders } from './signatures.ts'

export type CallbackSender = ReturnType<typeof callbackSender>

export interface CallbackSenderDeps extends PartDeps {
  settings: AccountSettings
  encoding: Encoding
  now(): number
}

/** 14.5 minutes in all. */
const RETRIED_AFTER_MS = [10_000, 30_000, 60_000, 120_000, 240_000, 410_000]
const REPEATED = 20

export function callbackSender(deps: CallbackSenderDeps) {
  const { clock, random, faults, settings, encoding, now, sendCallback } = deps
  const [first, second] = [makeSigningKey(random, 1), makeSigningKey(random, 2)]
  const foreign = makeSigningKey(random, 3)
  const isOn = (name: FaultName): boolean => faults.isOn(name)

  function headersOf(url: string, body: string): Record<string, string> {
    if (!settings.signsCallbacks) return unsignedHeaders()
    const replaced = isOn('key_replaced') ? second : first
    const key = isOn('callbacks_signed_wrongly') ? { ...foreign, id: replaced.id } : replaced
    const at = now() - (isOn('callbacks_signed_long_ago') ? 3_600_000 : 0)
    return signedHeaders(key, { url, body }, { at, encoding })
  }

  function callbackTo(url: string, body: object): WireCallback {
    const text = JSON.stringify(body)
    const headers = headersOf(url, text)
    const sent = isOn('callbacks_with_another_body') ? JSON.stringify({ ...body, status: 'COMPLETED', more: 1 }) : text
    return { method: 'POST', url, headers, body: sent }
  }

  async function deliver(url: string, body: () => object, retries: readonly number[]): Promise<void> {
    if ((await sendCallback(callbackTo(url, body()))) === 200) return
    const [next, ...rest] = retries
    if (next !== undefined) clock.after(next, () => void deliver(url, body, rest))
  }

  return {
    /** `body` is called at each attempt. */
    send: (type: 'DEPOSIT' | 'REFUND', body: () => object): void => {
      const url = settings.callbackUrls[type]
      if (url === undefined || isOn('callbacks_never_come')) return
      void deliver(url, body, RETRIED_AFTER_MS)
      if (!isOn('callbacks_repeated')) return
      for (let again = 1; again < REPEATED; again++)
        clock.after(again * 1_000, () => void sendCallback(callbackTo(url, body())))
    },
    keys: () => (isOn('key_replaced') ? [first, second] : [first]).map(({ id, publicPem }) => ({ id, key: publicPem })),
  }
}
