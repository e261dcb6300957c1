// What `karba operators check` checks of pawaPay: each line names one thing that payments need, and
// its repair.

import type { Clock } from '../../../domain/clock-and-random.ts'
import { factsOf } from '../../../domain/countries/country.ts'
import { withDigits } from '../../../domain/countries/msisdn.ts'
import type { CredentialTest } from '../../../domain/merchants/merchant-connection.ts'
import {
  type CheckLine,
  clockLines,
  credentialTest,
  notKnown,
  right,
  wrong,
} from '../../connector.ts'
import {
  asObject,
  asText,
  type CallResult,
  noAnswer,
  objectsIn,
  wholeFrancs,
} from '../../http-call.ts'
import { type ActiveConfiguration, readActiveConfiguration } from './active-configuration.ts'
import { readPublicKeys } from './callbacks.ts'
import type { PawapayCaller, PawapayOptions } from './calls.ts'
import { COUNTRY, CURRENCY, failureCodeIn, PROVIDED_IN } from './translate.ts'

export interface CheckDeps {
  call: PawapayCaller
  clock: Clock
  callbackUrl: string | undefined
  options: PawapayOptions
}

const CALL_MS = 15_000

export async function checkConnection(deps: CheckDeps): Promise<CheckLine[]> {
  const result = await deps.call({ path: `/v2/active-conf?country=${COUNTRY}`, timeoutMs: CALL_MS })
  const configuration = readActiveConfiguration(result)
  const lines = [tokenLine(result, configuration), ...clockLines(result, deps.clock.now())]
  if (configuration === undefined) return lines
  return [
    ...lines,
    ...(await providerLines(deps, configuration)),
    ...callbackLines(deps, configuration),
    ...(await signatureLines(deps, configuration)),
    await walletLine(deps),
    await numberLine(deps),
  ]
}

/** What is enabled for the account. */
export async function testCredentials(call: PawapayCaller): Promise<CredentialTest> {
  const result = await call({ path: `/v2/active-conf?country=${COUNTRY}`, timeoutMs: CALL_MS })
  if (readActiveConfiguration(result) !== undefined) return credentialTest(undefined)
  if ('failed' in result) return credentialTest(noAnswer(result))
  const isRefused = result.code === 401 || result.code === 403
  return credentialTest({
    is: 'unknown',
    why: `HTTP ${result.code}`,
    ...(isRefused && { misconfigured: true }),
  })
}

function tokenLine(result: CallResult, configuration: ActiveConfiguration | undefined): CheckLine {
  const about = 'the API token'
  if (configuration !== undefined) return right(about)
  if ('failed' in result) return notKnown(about, `pawaPay could not be reached: ${result.failed}`)
  const code = failureCodeIn(result.body)
  const said = `pawaPay answered HTTP ${result.code}${code === undefined ? '' : ` ${code}`}`
  if (result.code !== 401 && result.code !== 403) return notKnown(about, said)
  return wrong(
    about,
    `${said}: make a token in the dashboard of this environment, and set apiToken to it`,
  )
}

async function providerLines(
  deps: CheckDeps,
  configuration: ActiveConfiguration,
): Promise<CheckLine[]> {
  const available = statusesIn(
    await deps.call({ path: `/v2/availability?country=${COUNTRY}`, timeoutMs: CALL_MS }),
  )
  return Object.values(deps.options.providers).flatMap((provider) =>
    (['DEPOSIT', 'REFUND'] as const).map((type) => {
      const about = `${type === 'DEPOSIT' ? 'deposits' : 'refunds'} by ${provider}`
      const operation = configuration.providers.get(provider)?.get(type)
      if (operation === undefined)
        return wrong(about, 'not enabled for the account: ask pawaPay to enable it')
      const status = available.get(`${provider} ${type}`) ?? operation.status
      if (status === undefined || status === 'OPERATIONAL') return right(about)
      const refused = type === 'REFUND' && status === 'DELAYED' ? 'wait' : 'are refused'
      return wrong(
        about,
        `${status} at pawaPay: they ${refused} until it is OPERATIONAL; nothing to change here`,
      )
    }),
  )
}

function statusesIn(result: CallResult): Map<string, string> {
  const statuses = new Map<string, string>()
  const providers = objectsIn('body' in result ? result.body : undefined).flatMap((each) =>
    objectsIn(each.providers),
  )
  for (const { provider, operationTypes } of providers) {
    for (const { operationType, status } of objectsIn(operationTypes)) {
      const text = asText(status)
      if (text !== undefined) statuses.set(`${provider} ${operationType}`, text)
    }
  }
  return statuses
}

function callbackLines(
  { callbackUrl, options }: CheckDeps,
  { providers }: ActiveConfiguration,
): CheckLine[] {
  const about = 'the callback address'
  if (callbackUrl === undefined)
    return [wrong(about, 'the service has no public address: payments are only polled')]
  if (!callbackUrl.startsWith('https://'))
    return [wrong(about, `pawaPay calls https addresses only, not ${callbackUrl}`)]
  return Object.values(options.providers).flatMap((provider) => {
    const operation = providers.get(provider)?.get('DEPOSIT')
    if (operation === undefined) return []
    const line = `${about} for ${provider}`
    if (operation.callbackUrl?.replace(/\/$/, '') === callbackUrl) return [right(line)]
    return [wrong(line, `set the callback URL of deposits in the dashboard to ${callbackUrl}`)]
  })
}

async function signatureLines(
  { call, options }: CheckDeps,
  configuration: ActiveConfiguration,
): Promise<CheckLine[]> {
  const lines: CheckLine[] = []
  const { signedRequestsOnly, signedCallbacks } = configuration
  if (signedRequestsOnly === true) {
    const about = 'signed requests'
    const remedy = 'the account takes signed requests only: set signingKey and signingKeyId'
    lines.push(options.signingKey === undefined ? wrong(about, remedy) : right(about))
  }
  if (options.callbacks === 'unsigned') {
    if (signedCallbacks !== true) return lines
    return [
      ...lines,
      wrong(
        'signed callbacks',
        'pawaPay signs them: set callbacks to signed, so that they are verified',
      ),
    ]
  }
  if (signedCallbacks === false) {
    lines.push(
      wrong('signed callbacks', 'switch them on in the dashboard, or set callbacks to unsigned'),
    )
  }
  if (options.callbackPublicKey !== undefined) return lines
  const keys = readPublicKeys(await call({ path: '/v2/public-key/http', timeoutMs: CALL_MS }))
  const about = 'the keys of signed callbacks'
  return [
    ...lines,
    keys === undefined ? notKnown(about, 'pawaPay gave none: set callbackPublicKey') : right(about),
  ]
}

async function walletLine({ call }: CheckDeps): Promise<CheckLine> {
  const result = await call({ path: `/v2/wallet-balances?country=${COUNTRY}`, timeoutMs: CALL_MS })
  const balances = objectsIn('body' in result ? asObject(result.body)?.balances : undefined)
  const held = balances
    .filter(({ currency }) => currency === CURRENCY)
    .map(({ balance }) =>
      wholeFrancs(typeof balance === 'string' ? balance.replace(/\.\d*$/, '') : balance),
    )
  const about = 'the wallet that refunds are paid from'
  if (held.length === 0 || held.includes(undefined))
    return notKnown(about, 'pawaPay did not show its balance')
  return right(
    `${about} holds ${held.reduce<number>((sum, each) => sum + (each ?? 0), 0)} ${CURRENCY}`,
  )
}

const { callingCode, numbers } = factsOf(PROVIDED_IN)
/** One of pawaPay's own test numbers, so that no person's number is sent. */
const SAMPLE_NUMBER = `${callingCode}${numbers.trunk}51345789`

/** pawaPay writes a number back in the form that it takes. */
async function numberLine({ call, options }: CheckDeps): Promise<CheckLine> {
  const { msisdnDigits } = options
  const about = `numbers with ${msisdnDigits} digits after ${callingCode}`
  const phoneNumber = withDigits(SAMPLE_NUMBER, msisdnDigits)
  const result = await call({
    path: '/v2/predict-provider',
    body: { phoneNumber },
    timeoutMs: CALL_MS,
  })
  const written = 'body' in result ? asText(asObject(result.body)?.phoneNumber) : undefined
  if (written === phoneNumber) return right(about)
  const isRefused = 'body' in result && failureCodeIn(result.body) === 'INVALID_PARAMETER'
  if (written === undefined && !isRefused)
    return notKnown(about, 'pawaPay did not say in which form it takes numbers')
  return wrong(
    about,
    `pawaPay takes another form: set msisdnDigits to ${msisdnDigits === 10 ? 8 : 10}`,
  )
}
