// The merchant's account as the simulated pawaPay shows it: what is enabled and available, its
// wallet.
import { BENIN } from '../countries.ts'
import type { FaultBoard } from '../network.ts'
import { type Refusal, refusal } from './checks.ts'
import { type FaultName, predictedProvider, subscriberIn } from './numbers-and-faults.ts'

export interface AccountSettings {
  callbackUrls: { DEPOSIT?: string; REFUND?: string }
  signsCallbacks: boolean
  signedRequestsOnly: boolean
}

const PROVIDERS = ['MTN_MOMO_BEN', 'MOOV_BEN'] as const
export const LIMITS = { min: 100, max: 2_000_000 } as const

const OPERATIONS = ['DEPOSIT', 'PAYOUT', 'REFUND'] as const
const NAMES: Readonly<Record<string, string>> = { MTN_MOMO_BEN: 'MTN', MOOV_BEN: 'Moov' }
const COMPANY = 'Simulated Merchant'

const isOn = (faults: FaultBoard, name: FaultName): boolean => faults.isOn(name)

export const enabledProviders = (faults: FaultBoard): readonly string[] =>
  isOn(faults, 'provider_not_enabled') ? [] : PROVIDERS

export function providerStatus(faults: FaultBoard): 'OPERATIONAL' | 'DELAYED' | 'CLOSED' {
  if (isOn(faults, 'provider_closed')) return 'CLOSED'
  return isOn(faults, 'provider_delayed') ? 'DELAYED' : 'OPERATIONAL'
}

const asked = (query: URLSearchParams, name: string, is: string): boolean =>
  (query.get(name) ?? is) === is

export function activeConfiguration(
  faults: FaultBoard,
  settings: AccountSettings,
  query: URLSearchParams,
): object {
  const { signedRequestsOnly, signsCallbacks, callbackUrls } = settings
  const operation = (type: string): object => ({
    ...(type === 'DEPOSIT' && {
      authType: 'PROVIDER_AUTH',
      pinPrompt: 'AUTOMATIC',
      pinPromptRevivable: false,
    }),
    minAmount: String(LIMITS.min),
    maxAmount: String(LIMITS.max),
    decimalsInAmount: 'NONE',
    status: providerStatus(faults),
    ...(Object.hasOwn(callbackUrls, type) && { callbackUrl: callbackUrls[type as 'DEPOSIT'] }),
  })
  const types = OPERATIONS.filter((type) => asked(query, 'operationType', type))
  const providers = enabledProviders(faults).map((provider) => ({
    provider,
    displayName: NAMES[provider],
    logo: `https://static-content.pawapay.io/company_logos/${provider.split('_')[0]?.toLowerCase()}.png`,
    nameDisplayedToCustomer: COMPANY,
    currencies: [
      {
        currency: 'XOF',
        displayName: 'CFA',
        operationTypes: Object.fromEntries(types.map((type) => [type, operation(type)])),
      },
    ],
  }))
  const benin = {
    country: BENIN.alpha3,
    displayName: BENIN.names,
    prefix: BENIN.callingCode,
    flag: 'https://static-content.pawapay.io/country_flags/ben.svg',
    providers,
  }
  return {
    companyName: COMPANY,
    signatureConfiguration: { signedRequestsOnly, signedCallbacks: signsCallbacks },
    countries: providers.length > 0 && asked(query, 'country', BENIN.alpha3) ? [benin] : [],
  }
}

export function availability(faults: FaultBoard, query: URLSearchParams): object[] {
  if (!asked(query, 'country', BENIN.alpha3)) return []
  const types = OPERATIONS.filter((type) => asked(query, 'operationType', type))
  const operationTypes = types.map((operationType) => ({
    operationType,
    status: providerStatus(faults),
  }))
  return [
    {
      country: BENIN.alpha3,
      providers: PROVIDERS.map((provider) => ({ provider, operationTypes })),
    },
  ]
}

export const walletBalances = (balanceXof: number, query: URLSearchParams): object => ({
  balances: asked(query, 'country', BENIN.alpha3)
    ? [{ country: BENIN.alpha3, balance: `${balanceXof}.00`, currency: 'XOF', provider: '' }]
    : [],
})

/** Signs and spaces are left out; what remains must be a number of Benin with its country code. */
export function predictProvider(fields: Record<string, unknown>): object | Refusal {
  const { phoneNumber } = fields
  if (typeof phoneNumber !== 'string')
    return refusal('MISSING_PARAMETER', "The parameter 'phoneNumber' is missing.")
  const digits = phoneNumber.replace(/\D/g, '')
  const subscriber = subscriberIn(digits)
  if (subscriber === undefined)
    return refusal('INVALID_PARAMETER', 'The phone number does not fit the format of any provider.')
  return { country: BENIN.alpha3, provider: predictedProvider(subscriber), phoneNumber: digits }
}
