// Sends callbacks: signed where the account has that switched on, and again for a quarter of an hour until they are
// answered with 200.
import type { Clock, FaultBoard, NetworkDeps, Random, WireCallback } from '../network.ts'
import type { AccountSettings } from './account.ts'
import type { FaultName } from './numbers-and-faults.ts'
import { type Encoding, makeSigningKey, type SigningKey, signedHeaders, unsignedHeaders } from './signatures.ts'

export interface CallbackSender {
  /** `body` is called at each attempt. */
  send(type: 'DEPOSIT' | 'REFUND', body: () => object): void
  /** To the address that a request named. */
  sendTo(url: string, body: () => object): void
  /** The keys that clients verify with, in the wire's form. */
  keys(): { id: string; key: string }[]
}

export interface CallbackSenderDeps extends Pick<NetworkDeps, 'sendCallback'> {
  clock: Clock
  random: Random
  faults: FaultBoard
  settings: AccountSettings
  encoding: Encoding
  /** The network's own time, which may be off. */
  now(): number
}

/** 14.5 minutes in all. */
const RETRIED_AFTER_MS = [10_000, 30_000, 60_000, 120_000, 240_000, 410_000]
const REPEATED = 20

export function callbackSender(deps: CallbackSenderDeps): CallbackSender {
  const { clock, random, faults, settings, encoding, now, sendCallback } = deps
  const [first, second, foreign] = [1, 2, 3].map((number) => makeSigningKey(random, number)) as [
    SigningKey,
    SigningKey,
    SigningKey,
  ]
  const isOn = (name: FaultName): boolean => faults.isOn(name)

  function headersOf(url: string, body: string): Record<string, string> {
    if (!settings.signsCallbacks) return unsignedHeaders()
    const replaced = isOn('key_replaced') ? second : first
    const key = isOn('callbacks_signed_wrongly') ? { ...foreign, id: replaced.id } : replaced
    return signedHeaders(
      key,
      { url, body },
      { at: now() - (isOn('callbacks_signed_long_ago') ? 3_600_000 : 0), encoding },
    )
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

  function sendTo(url: string, body: () => object): void {
    if (isOn('callbacks_never_come')) return
    void deliver(url, body, RETRIED_AFTER_MS)
    if (!isOn('callbacks_repeated')) return
    for (let again = 1; again < REPEATED; again++) {
      clock.after(again * 1_000, () => void sendCallback(callbackTo(url, body())))
    }
  }

  return {
    send: (type, body) => {
      const url = settings.callbackUrls[type]
      if (url !== undefined) sendTo(url, body)
    },
    sendTo,
    keys: () => (isOn('key_replaced') ? [first, second] : [first]).map(({ id, publicPem }) => ({ id, key: publicPem })),
  }
}
