// What `karba operators check` checks: tokens, balances, the clock, and the callback address. Shows
// no secret.
import type { CredentialTest } from '../../../domain/merchants/merchant-connection.ts'
import {
  type CheckLine,
  type ConnectionDeps,
  clockLines,
  credentialTest,
  notKnown,
  plainCallbackUrl,
  right,
  wrong,
} from '../../connector.ts'
import { asObject, type CallResult } from '../../http-call.ts'
import type { Unknown } from '../../operator.ts'
import { faultOfCallbackUrl, type MtnMomoOptions, PLATFORMS, type Product } from './calls.ts'
import { codeOf, readCode } from './translate.ts'

interface Checked {
  deps: ConnectionDeps
  options: MtnMomoOptions
  collection: Product
  disbursement: Product | undefined
}

export async function checkConnection({
  deps,
  options,
  collection,
  disbursement,
}: Checked): Promise<CheckLine[]> {
  const { minted, result } = await collection.mint()
  const refunds =
    disbursement === undefined
      ? [right('refunds: by hand, since there are no credentials of the Disbursement product')]
      : await productLines('Disbursement', disbursement, await disbursement.mint(), options)
  return [
    ...(await productLines('Collection', collection, { minted, result }, options)),
    ...clockLines(result, deps.clock.now()),
    ...refunds,
    callbackLine(deps, options),
  ]
}

/** A token of each product. */
export async function testCredentials({
  collection,
  disbursement,
}: Checked): Promise<CredentialTest> {
  for (const product of [collection, disbursement]) {
    if (product === undefined) continue
    const { minted, result } = await product.mint()
    if (!('is' in minted)) continue
    // MTN answers 400 for another market, and its gateway 403.
    const isRefused = 'code' in result && result.code < 500
    return credentialTest({ ...minted, ...(isRefused && { misconfigured: true }) })
  }
  return credentialTest(undefined)
}

async function productLines(
  name: 'Collection' | 'Disbursement',
  product: Product,
  { minted, result }: Awaited<ReturnType<Product['mint']>>,
  options: MtnMomoOptions,
): Promise<CheckLine[]> {
  if ('is' in minted) return [tokenProblem(name, minted, result, options)]
  const balance = await product.callWith(minted.token, {
    method: 'GET',
    path: '/v1_0/account/balance',
    headers: {},
  })
  return [right(`${name}: the network gave an access token`), balanceLine(name, balance, options)]
}

function tokenProblem(
  name: string,
  { why, misconfigured }: Unknown,
  result: CallResult,
  { platform, targetEnvironment }: MtnMomoOptions,
): CheckLine {
  const about = `${name}: ${why}`
  const status = 'code' in result ? result.code : 0
  if (status === 400) {
    const question = `is X-Target-Environment ${targetEnvironment} the market of this contract?`
    return wrong(about, `${question} (option targetEnvironment)`)
  }
  if (status === 403) {
    return wrong(
      about,
      'the gateway refuses us: have MTN allow this server’s IP address, or change the option userAgent',
    )
  }
  const { credentials, address } = PLATFORMS[platform]
  return misconfigured
    ? wrong(
        about,
        `check the subscription key and ${credentials}; platform ${platform} is at ${address}`,
      )
    : notKnown(
        about,
        'try again; if it stays so, ask MTN whether this address is reachable from here',
      )
}

function balanceLine(
  name: string,
  result: CallResult,
  { currency, targetEnvironment }: MtnMomoOptions,
): CheckLine {
  if ('failed' in result) return notKnown(`${name}: no balance: ${result.failed}`, 'try again')
  const { code: status, body } = result
  const code = codeOf(body)
  if (status !== 200) {
    const about = `${name}: no balance: HTTP ${status} ${code ?? ''}`.trimEnd()
    const remedy = `is the API user one of ${targetEnvironment}, and of the ${name} product?`
    return status < 500 || code !== undefined ? wrong(about, remedy) : notKnown(about, remedy)
  }
  const reported = readCode(asObject(body)?.currency)
  if (reported === undefined || reported === currency)
    return right(`${name}: the account is readable`)
  return wrong(
    `${name}: the account is in ${reported}, not ${currency}`,
    `set the option currency to ${reported}`,
  )
}

function callbackLine(deps: ConnectionDeps, { sendsCallbackUrl }: MtnMomoOptions): CheckLine {
  if (!sendsCallbackUrl) return right('callbacks: switched off; payments are found by polling')
  const url = plainCallbackUrl(deps)
  if (!url) {
    const about = 'callbacks: this service has no public address; payments are found by polling'
    return notKnown(
      about,
      'set PUBLIC_URL to an https address, or the option sendsCallbackUrl to false',
    )
  }
  const fault = faultOfCallbackUrl(url, deps.environment)
  if (fault !== undefined) {
    return wrong(
      `callbacks: our address ${fault.about}, so it is not sent; payments are found by polling`,
      fault.remedy,
    )
  }
  return right(
    `callbacks: at ${new URL(url).hostname}, which must be the callback host registered with the API user`,
  )
}
