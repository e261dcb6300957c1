// The hosted page of the simulated FedaPay: what is to be paid, and two buttons. Never a field for a card number.
import { statusAt, type Transaction } from './transaction.ts'

export const PAGE_PATH = '/process'

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export function payPage(transaction: Transaction): string {
  return document(`<h1>${escapeText(transaction.description)}</h1>
<p>${transaction.amount} F CFA</p>
<form method="post">
<button name="decision" value="approve">Payer</button>
<button name="decision" value="decline">Refuser</button>
</form>`)
}

export const endPage = (transaction: Transaction, now: number): string =>
  document(`<p>Transaction ${transaction.id} : ${statusAt(transaction, now).to}</p>`)

const document = (body: string): string => `<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><title>FedaPay – simulation</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,"></head>
<body><p>SIMULATION – aucun argent réel</p>
${body}
</body></html>`

/** Where FedaPay sends the browser afterwards: the merchant's address with the transaction's number and status. */
export function returnAddress(transaction: Transaction, now: number): string | undefined {
  const { callbackUrl, id } = transaction
  if (callbackUrl === null) return undefined
  const address = new URL(callbackUrl)
  address.searchParams.set('id', String(id))
  address.searchParams.set('status', statusAt(transaction, now).to)
  return address.href
}
