// Which of their merchants a person works for, until they sign out: in every tab of this browser, and for nobody else who signs in here. It only says
// where to start; each page has its account in its address.
const KEPT_AS = 'karba-merchant'

export const chooseMerchant = (personId: string, merchantId: string): void =>
  localStorage.setItem(KEPT_AS, `${personId} ${merchantId}`)

export const forgetMerchant = (): void => localStorage.removeItem(KEPT_AS)

export function chosenMerchant(personId: string): string | undefined {
  const [whose, merchantId] = localStorage.getItem(KEPT_AS)?.split(' ') ?? []
  return whose === personId ? merchantId : undefined
}
