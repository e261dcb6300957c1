// What a provider gives for an attempt, and the page shows until it ends: where the payer goes, or
// what the payer writes on a transfer of their own. It is stored with the attempt, because payers
// close the page and open it again.

/** The names of the instructions are the method's; the page has their words. */
export type PayerStep = { goTo: string } | { instructions: Readonly<Record<string, string>> }

/** Undefined when the payer goes nowhere. */
export const goToOf = (step: PayerStep | null | undefined): string | undefined =>
  step && 'goTo' in step ? step.goTo : undefined

export const payerStepText = (step: PayerStep): string => JSON.stringify(step)

/** Null until the provider gave one. */
export const readPayerStep = (stored: string | null): PayerStep | null =>
  stored === null ? null : JSON.parse(stored)
