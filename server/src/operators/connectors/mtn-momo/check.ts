// What `karba operators check` looks at: tokens and balances of the products, the clock, and the callback address. No line holds a secret.
import type { OperatorAnswer } from '../../../domain/operator-report.ts'
import type { CheckLine, ConnectionDeps } from '../../connector.ts'
import type { CallResult } from '../../http-call.ts'
import { faultOfCallbackUrl } from './callback.ts'
import { type MtnMomoOptions, PLATFORMS } from './options.ts'
import type { Product } from './product.ts'
import { codeOf, fieldsOf, readCode } from './wire.ts'

interface Checked {
  deps: Pick<ConnectionDeps, 'clock' | 'callbackUrl' | 'environment'>
  options: MtnMomoOptions
  collection: Product
  disbursement: Product | undefined
}

const MOST_SKEW_MS = 60_000
const SAMPLE_REFERENCE = '0'.repeat(24)

export async function checkConnection({ deps, options, collection, disbursement }: Checked): Promise<CheckLine[]> {
  const lines = await checkProduct('Collection', collection, { deps, options })
  if (disbursement === undefined) {
    lines.push({ is: 'right', about: 'refunds: by hand, since there are no credentials of the Disbursement product' })
  } else {
    lines.push(...(await checkProduct('Disbursement', disbursement, { deps, options })))
  }
  lines.push(checkCallback(deps, options))
  return lines
}

async function checkProduct(
  name: 'Collection' | 'Disbursement',
  product: Product,
  { deps, options }: Pick<Checked, 'deps' | 'options'>,
): Promise<CheckLine[]> {
  const { minted, result } = await product.mint()
  const skew = name === 'Collection' ? checkSkew(result, deps.clock.now()) : []
  if ('is' in minted) return [tokenProblem(name, minted, result, options), ...skew]
  const balance = await product.callWith(minted.token, { method: 'GET', path: '/v1_0/account/balance' })
  return [
    { is: 'right', about: `${name}: the network gave an access token` },
    readBalance(name, balance, options),
    ...skew,
  ]
}

function tokenProblem(
  name: string,
  { why, misconfigured }: Extract<OperatorAnswer, { is: 'unknown' }>,
  result: CallResult,
  { platform, targetEnvironment }: MtnMomoOptions,
): CheckLine {
  const about = `${name}: ${why}`
  const status = 'code' in result ? result.code : 0
  if (status === 400) {
    return {
      is: 'wrong',
      about,
      mend: `is X-Target-Environment ${targetEnvironment} the market of this contract? (option targetEnvironment)`,
    }
  }
  if (status === 403) {
    return {
      is: 'wrong',
      about,
      mend: 'the gateway refuses us: have MTN allow this server’s IP address, or change the option userAgent',
    }
  }
  if (misconfigured) {
    const { credentials, address } = PLATFORMS[platform]
    return {
      is: 'wrong',
      about,
      mend: `check the subscription key and ${credentials}; platform ${platform} is at ${address}`,
    }
  }
  return {
    is: 'not_known',
    about,
    mend: 'try again; if it stays so, ask MTN whether this address is reachable from here',
  }
}

function readBalance(name: string, result: CallResult, { currency, targetEnvironment }: MtnMomoOptions): CheckLine {
  if ('failed' in result) return { is: 'not_known', about: `${name}: no balance: ${result.failed}`, mend: 'try again' }
  const told = readCode(fieldsOf(result.body)?.currency)
  if (result.code !== 200) {
    const about = `${name}: no balance: HTTP ${result.code} ${codeOf(result.body) ?? ''}`.trimEnd()
    const mend = `is the API user one of ${targetEnvironment}, and of the ${name} product?`
    return { is: result.code < 500 || codeOf(result.body) !== undefined ? 'wrong' : 'not_known', about, mend }
  }
  if (told === undefined || told === currency) return { is: 'right', about: `${name}: the account is readable` }
  return {
    is: 'wrong',
    about: `${name}: the account is in ${told}, not ${currency}`,
    mend: `set the option currency to ${told}`,
  }
}

function checkSkew(result: CallResult, now: number): CheckLine[] {
  const date = 'code' in result ? Date.parse(String(result.headers.date)) : Number.NaN
  if (Number.isNaN(date)) return []
  const seconds = Math.round(Math.abs(now - date) / 1_000)
  if (seconds * 1_000 <= MOST_SKEW_MS)
    return [{ is: 'right', about: 'the clocks of the network and of this machine agree' }]
  const mend = 'set this machine’s clock by a time server'
  return [{ is: 'wrong', about: `the clocks of the network and of this machine are ${seconds} s apart`, mend }]
}

function checkCallback({ callbackUrl, environment }: Checked['deps'], { sendsCallbackUrl }: MtnMomoOptions): CheckLine {
  if (!sendsCallbackUrl) return { is: 'right', about: 'callbacks: switched off; payments are found by polling' }
  const url = callbackUrl(SAMPLE_REFERENCE)
  if (!url) {
    const about = 'callbacks: this service has no public address; payments are found by polling'
    return {
      is: 'not_known',
      about,
      mend: 'set PUBLIC_URL to an https address, or the option sendsCallbackUrl to false',
    }
  }
  const fault = faultOfCallbackUrl(url, environment)
  if (fault !== undefined) {
    const about = `callbacks: our address ${fault.about}, so it is not sent; payments are found by polling`
    return { is: 'wrong', about, mend: fault.mend }
  }
  const { hostname } = new URL(url)
  return {
    is: 'right',
    about: `callbacks: at ${hostname}, which must be the callback host registered with the API user`,
  }
}
