// The ways in which a link can be paid. A new one is a file here and its line in this list.
import type { Language } from '../texts/language.ts'
import { BANK_CARD } from './bank-card.ts'
import type { Method } from './method.ts'
import { MOBILE } from './mobile.ts'
import { WALLET } from './wallet.ts'

const LISTED = [MOBILE, BANK_CARD, WALLET] as const

type Listed = (typeof LISTED)[number]

export type LinkMethod = Listed['name']

export const LINK_METHODS: readonly LinkMethod[] = LISTED.map(({ name }) => name)

const METHODS: ReadonlyMap<string, Method> = new Map(LISTED.map((method) => [method.name, method]))

export const methodOf = (name: LinkMethod): Method => METHODS.get(name) as Method

export const isLinkMethod = (value: unknown): value is LinkMethod =>
  typeof value === 'string' && METHODS.has(value)

/** From the list of an account, which is null until its merchant chooses. */
export const offeredMethods = (chosen: string | null): readonly LinkMethod[] =>
  chosen === null ? LINK_METHODS : chosen.split(',').filter(isLinkMethod)

/** Undefined for what is no method. */
export const methodName = (name: string, language: Language): string | undefined =>
  METHODS.get(name)?.words[language].name

/** A method whose payer pays on the provider's own page. */
export type HostedMethodName = Exclude<Listed, { by: 'prompt' }>['name']

export const isHosted = (name: LinkMethod): name is HostedMethodName =>
  methodOf(name).by !== 'prompt'

export const HOSTED_METHODS = LINK_METHODS.filter(isHosted) as [
  HostedMethodName,
  ...HostedMethodName[],
]
