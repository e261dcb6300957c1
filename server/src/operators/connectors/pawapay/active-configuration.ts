// What pawaPay has enabled for the account: read at the first use and then every few minutes. A
// country of the documents may still be refused until it is enabled for the account, so a payment
// that would be refused is not sent.

import type { Clock } from '../../../domain/clock-and-random.ts'
import { singleFlight } from '../../../domain/limits/single-flight.ts'
import { asObject, asText, type CallResult, type JsonObject, objectsIn } from '../../http-call.ts'
import { CURRENCY } from './translate.ts'

interface Operation {
  /** OPERATIONAL, DELAYED or CLOSED. */
  status: string | undefined
  callbackUrl: string | undefined
}

export interface ActiveConfiguration {
  /** By the provider's code, and by DEPOSIT, REFUND … */
  providers: ReadonlyMap<string, ReadonlyMap<string, Operation>>
  signedRequestsOnly: boolean | undefined
  signedCallbacks: boolean | undefined
}

/**
 * Undefined for an answer of another form: then nothing is known, and the network itself decides.
 */
export function readActiveConfiguration(result: CallResult): ActiveConfiguration | undefined {
  if (!('code' in result) || result.code !== 200) return undefined
  const { countries, signatureConfiguration } = asObject(result.body) ?? {}
  if (!Array.isArray(countries)) return undefined
  const providers = new Map<string, ReadonlyMap<string, Operation>>()
  for (const each of objectsIn(countries).flatMap((country) => objectsIn(country.providers))) {
    const code = asText(each.provider)
    const currency = objectsIn(each.currencies).find((one) => one.currency === CURRENCY)
    if (code !== undefined && currency !== undefined)
      providers.set(code, operationsIn(currency.operationTypes))
  }
  const signatures = asObject(signatureConfiguration) ?? {}
  return {
    providers,
    signedRequestsOnly: booleanIn(signatures.signedRequestsOnly),
    signedCallbacks: booleanIn(signatures.signedCallbacks),
  }
}

/**
 * The documents show `{DEPOSIT: {…}}`, and elsewhere `[{DEPOSIT: {…}}, {operationType: 'PAYOUT',
 * …}]`.
 */
function operationsIn(operationTypes: unknown): Map<string, Operation> {
  const operations = new Map<string, Operation>()
  const take = (type: string, fields: JsonObject): void =>
    void operations.set(type, {
      status: asText(fields.status),
      callbackUrl: asText(fields.callbackUrl),
    })
  for (const each of objectsIn([operationTypes].flat())) {
    const type = asText(each.operationType)
    if (type !== undefined) take(type, each)
    else
      for (const [name, fields] of Object.entries(each))
        if (asObject(fields)) take(name, fields as JsonObject)
  }
  return operations
}

const booleanIn = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

const REFRESHED_AFTER_MS = 10 * 60_000
/**
 * The retry interval after a failed read, and while a provider is missing: it may be enabled soon.
 */
const TRIED_AGAIN_AFTER_MS = 60_000

/** `read` never throws, and ends within the time that a payment may wait for it. */
export function configurationCache(clock: Clock, read: () => Promise<CallResult>) {
  let current: { configuration: ActiveConfiguration; readAt: number } | undefined
  let isReading = false
  let triedAt = Number.NEGATIVE_INFINITY

  const readOnce = singleFlight(async () => {
    isReading = true
    triedAt = clock.now()
    const configuration = readActiveConfiguration(await read())
    if (configuration !== undefined) current = { configuration, readAt: clock.now() }
    isReading = false
  })

  const isEnabled = (provider: string): boolean =>
    current?.configuration.providers.get(provider)?.has('DEPOSIT') === true

  return {
    /** Where pawaPay sends callbacks about deposits, by the configuration that was read last. */
    callbackUrls: (): string[] =>
      [...(current?.configuration.providers.values() ?? [])].flatMap(
        (each) => each.get('DEPOSIT')?.callbackUrl ?? [],
      ),
    /**
     * Whether the account may take deposits by this provider; waits only for a reading that may
     * change the answer.
     */
    takesDeposits: async (provider: string): Promise<'yes' | 'no' | 'not_known'> => {
      const mayTry = isReading || clock.now() - triedAt >= TRIED_AGAIN_AFTER_MS
      if (!isEnabled(provider) && mayTry) await readOnce()
      else if (
        current !== undefined &&
        clock.now() - current.readAt >= REFRESHED_AFTER_MS &&
        mayTry
      )
        void readOnce()
      if (current === undefined) return 'not_known'
      return isEnabled(provider) ? 'yes' : 'no'
    },
  }
}
