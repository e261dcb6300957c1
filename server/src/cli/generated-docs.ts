// The documents that are generated from tables in the code. `npm run docs` writes them, and a test fails when a file on disk differs.
import { BUTTON_SCRIPT } from '../checkout/button-routes.ts'
import { SETTINGS } from '../config.ts'
import { FAILURE_REASONS, isFinal, MOVES, STATUSES } from '../domain/payment-status.ts'
import { type MerchantRefusal, OPERATIONS, type OperationId } from '../merchant-api/contract.ts'
import { HOUSE_ADVICE, LIMITS } from '../merchant-api/limits.ts'
import { openApi } from '../merchant-api/openapi.ts'
import { type Ending, SCENARIOS } from '../simulator/scenarios.ts'
import { HOUSE_ERRORS, type HouseError, type WireError } from '../wire/error.ts'
import { plainSentence, WIRE_ERRORS } from '../wire/refusals.ts'
import { operatorsFileLines, operatorsFileSchema } from './network-docs.ts'

const NOTICE = '<!-- Made from the code by `npm run docs`. Change the table it comes from, not this page. -->'

/** File name, seen from docs/, and its text. */
export function generatedDocs(): Record<string, string> {
  return {
    'config.md': configPage(),
    'errors.md': errorsPage(),
    'states.md': statesPage(),
    'sandbox.md': sandboxPage(),
    'checkout-script.md': checkoutScriptPage(),
    'operators-file.md': page('The operators file', operatorsFileLines()),
    'operators-file.schema.json': operatorsFileSchema(),
    'openapi.json': `${JSON.stringify(openApi(), null, 2)}\n`,
  }
}

function configPage(): string {
  const rows = Object.values(SETTINGS).map(
    ({ env, default: byDefault, about }) => `| \`${env}\` | ${byDefault === '' ? '' : `\`${byDefault}\``} | ${about} |`,
  )
  return page('Settings', [
    'Environment variables. A bad value, or an unknown name that begins with `KARBA_`, stops the start with one sentence.',
    '`npm run -s karba -- config` prints the values in force.',
    '',
    '| variable | default | meaning |',
    '|---|---|---|',
    ...rows,
  ])
}

function errorsPage(): string {
  const used = new Set<MerchantRefusal>(Object.values(OPERATIONS).flatMap(({ refusals }) => refusals))
  const refusalRows = [...used].map((name) => errorRow(WIRE_ERRORS[name], plainSentence(name, 'en')))
  const houseRows = Object.entries(HOUSE_ERRORS).map(([name, error]) =>
    errorRow(error, HOUSE_ADVICE[name as HouseError]),
  )
  return page('Errors', [
    'An error is JSON with `message`, and with `"status":"failed"` on every 422. The header `Svc-Error-Code` names the error; `Svc-Error-Param` names',
    'the header, field or parameter at fault, where it is a single one. Give `X-Request-Id` to the operator of the service when you ask about an answer.',
    '',
    '| HTTP | message | `Svc-Error-Code` | what happened, what to do |',
    '|---|---|---|---|',
    ...refusalRows,
    ...houseRows,
    '',
    '## Order of checks',
    '',
    'The first condition that is not met decides the answer.',
    '',
    ...Object.values(OPERATIONS).flatMap(operationErrors),
    '## Limits',
    '',
    '| what | limit |',
    '|---|---|',
    ...Object.values(LIMITS).map(limitRow),
  ])
}

/** The gate of every operation with a secret key, which its list would only repeat. */
const GATE = OPERATIONS.showAccount.refusals

function operationErrors(operation: (typeof OPERATIONS)[OperationId]): string[] {
  const refusals: readonly MerchantRefusal[] = operation.refusals
  const isGated = GATE.every((name, at) => refusals[at] === name)
  const names = refusals.slice(isGated ? GATE.length : 0).map((name) => `\`${name}\``)
  const gate = operation.id === 'showAccount' ? GATE.map((name) => `\`${name}\``) : ['those of `GET /account`']
  return [
    `**\`${operation.method} ${operation.base}${operation.path}\`**: ${[...(isGated ? gate : []), ...names].join(', ')}.`,
    '',
  ]
}

function limitRow({ what, unit, ...limit }: (typeof LIMITS)[keyof typeof LIMITS]): string {
  const range = 'least' in limit ? `${limit.least} to ${limit.most}` : `at most ${limit.most}`
  return `| ${what} | ${range} ${unit} |`
}

function errorRow({ code, http, message }: WireError, advice: string): string {
  return `| ${http} | \`${message}\` | \`${code}\` | ${advice} |`
}

function checkoutScriptPage(): string {
  const { path, integrity, text } = BUTTON_SCRIPT
  return page('The script of the button', [
    'To run only a script that you have reviewed, pin it by its hash:',
    '',
    '```html',
    '<script',
    `  src="https://karba.example${path}"`,
    `  integrity="${integrity}"`,
    '  crossorigin="anonymous"',
    '  async',
    '></script>',
    '```',
    '',
    `It has ${Buffer.byteLength(text)} bytes. A later version has another address: before you update, keep the old script as`,
    '`server/src/checkout/scripts/button-<version>.min.js`, and pages that pinned it keep working. [Use](payment-links.md#the-button).',
  ])
}

function statesPage(): string {
  return page('States of a payment', [
    '```mermaid',
    'stateDiagram-v2',
    ...MOVES.map(({ from, to, because }) => `  ${from} --> ${to}: ${because}`),
    ...STATUSES.filter(isFinal).map((status) => `  ${status} --> [*]`),
    '```',
    '',
    'Sources: [spec §3](contract.md#3-states-and-transitions) and [D-14](contract.md#d-14).',
  ])
}

function sandboxPage(): string {
  const rows = SCENARIOS.map(({ msisdn, about, ending }) => `| \`${msisdn}\` | ${endingText(ending)} | ${about} |`)
  return page('The sandbox', [
    'In sandbox, and in live in development mode, payments go to a simulated network. The payer’s number decides the outcome, after',
    'KARBA_SANDBOX_DELAY_MS (2,000) unless the row says otherwise. Any other number succeeds; with KARBA_SANDBOX_SEED about 70 % of them do. Test numbers are valid for both',
    'countries, with or without the country code. Cards and wallets have a simulated provider’s page. The dashboard’s sandbox phone answers any open prompt.',
    '',
    '| msisdn | outcome | what happens |',
    '|---|---|---|',
    ...rows,
    '',
    '## Reasons for a failure',
    '',
    '| failure_reason | meaning |',
    '|---|---|',
    ...Object.entries(FAILURE_REASONS).map(([reason, sentence]) => `| \`${reason}\` | ${sentence} |`),
  ])
}

const endingText = (ending: Ending): string =>
  ending === 'succeeded' || ending === 'refunded' ? ending : `failed: \`${ending}\``

const page = (title: string, lines: string[]): string => `${NOTICE}\n\n# ${title}\n\n${lines.join('\n')}\n`
