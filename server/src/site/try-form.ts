// The form that tries an operation in sandbox. Hidden until the script shows it, because without the script it can do nothing.
import { type Html, html } from '../http/html.ts'
import { bodyOf, type Described } from './described-api.ts'

/** Operations with the secret key, and those that need none; a page's own operation is tried by the button. */
export function tryForm(method: string, address: string, described: Described): Html | undefined {
  const { parameters = [], requestBody, security } = described
  if (JSON.stringify(security ?? []).includes('publicKey')) return undefined
  const paymentType = parameters.find(({ name }) => name === 'Svc-Payment-Type')?.schema.enum?.[0]
  const asked = parameters.filter(({ in: where }) => where !== 'header')
  const body = requestBody && bodyOf(requestBody)
  return html`<form class="try" data-method="${method}" data-address="${address}"${paymentType !== undefined && html` data-payment-type="${String(paymentType)}"`} hidden>
${asked.map(({ name, in: where }) => html`<label>${name}<input name="${name}" data-in="${where}" autocomplete="off"></label>`)}
${body && html`<label>Body<textarea name="body" rows="9" spellcheck="false">${JSON.stringify(body.example, null, 2)}</textarea></label>`}
<button>Try it in sandbox</button><output></output></form>`
}
