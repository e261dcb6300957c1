// A row of the catalogue of refusals.

import type { Refusal, RefusalFacts } from '../../domain/refusals/refusal.ts'
import type { Language } from '../../domain/texts/language.ts'

type Sentence<Name extends Refusal> = string | ((facts: RefusalFacts[Name]) => string)

/** What Svc-Error-Param names; absent where no single header, field or parameter is at fault. */
export type Param<Name extends Refusal> =
  | string
  | ((facts: RefusalFacts[Name]) => string | undefined)

/**
 * `api`: of refusals of the merchant API. The body of a 422 there has `status: failed` too. Others
 * are 422 by default.
 */
export type Row<Name extends Refusal> = { en: Sentence<Name>; fr: Sentence<Name> } & (
  | { http?: number }
  | {
      api: readonly [http: number, message: string, param?: Param<Name>]
      /** For the API where the sentence needs facts: it documents the hint before any request. */
      hint?: Both
    }
)

export type Rows<Name extends Refusal> = { readonly [Each in Name]: Row<Each> }

export type Both = Readonly<Record<Language, string>>
