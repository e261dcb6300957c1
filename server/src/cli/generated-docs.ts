// The documents that are generated from tables in the code. `npm run docs` writes them, and a test fails when a file on disk differs.
import { BUTTON_SCRIPT } from '../checkout/button-script.ts'
import { SETTINGS } from '../config.ts'
import { FAILURE_REASONS } from '../domain/outcome.ts'
import { isFinal, MOVES, STATUSES } from '../domain/payment-status.ts'
import { adviceFor, HOUSE_ADVICE } from '../merchant-api/advice.ts'
import { houseErrorsOf, OPERATIONS, type OperationId } from '../merchant-api/contract.ts'
import { ERRORS } from '../merchant-api/error-table.ts'
import { LIMITS } from '../merchant-api/limits.ts'
import { openApi } from '../merchant-api/openapi.ts'
import { type Ending, SCENARIOS } from '../simulator/scenarios.ts'
import { HOUSE_ERRORS, type HouseError, type WireError } from '../wire/error.ts'
import { operatorsFileLines, operatorsFileSchema } from './network-docs.ts'

const NO_OPERATION = 'no-operation'
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

/** What an operation refuses, in the order in which it is checked. */
function errorTable(id: OperationId): string[] {
  const rows = OPERATIONS[id].refusals.map((refusal) => errorRow(ERRORS[refusal], adviceFor(id, refusal)))
  return ['| HTTP | message | `Svc-Error-Code` | what to do |', '|---|---|---|---|', ...rows]
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
  const houseRows = Object.entries(HOUSE_ERRORS).map(([name, error]) =>
    errorRow(error, HOUSE_ADVICE[name as HouseError]),
  )
  return page('Errors', [
    'An error is JSON with `message`, and with `"status":"failed"` on every 422. Its header `Svc-Error-Code` says which it is, by a name',
    'of a closed list, and where a single header, field or parameter is at fault, `Svc-Error-Param` names it. Every answer carries',
    '`X-Request-Id`: give it to whoever runs the service when you ask about one. The rows of an operation stand in the order in which',
    'they are checked: the first condition that is not met answers.',
    '',
    ...Object.values(OPERATIONS).flatMap(({ id }) => operationErrors(id)),
    `<a id="${NO_OPERATION}"></a>`,
    '',
    '## Answers that belong to no operation',
    '',
    '| HTTP | message | `Svc-Error-Code` | what to do |',
    '|---|---|---|---|',
    ...houseRows,
    '',
    '## Limits',
    '',
    '| what | limit | source |',
    '|---|---|---|',
    ...Object.values(LIMITS).map(limitRow),
  ])
}

function operationErrors(id: OperationId): string[] {
  const operation = OPERATIONS[id]
  const house = houseErrorsOf(operation).map((name) => HOUSE_ERRORS[name].http)
  const place = operation.isAddition
    ? `An addition to the contract, ${operation.source}.`
    : `Of the contract, ${operation.source}.`
  return [
    `## \`${operation.method} ${operation.base}${operation.path}\``,
    '',
    `${place} It can also answer with ${house.sort().join(', ')} of [those that belong to no operation](#${NO_OPERATION}).`,
    '',
    ...errorTable(id),
    '',
  ]
}

function limitRow({ what, unit, source, ...limit }: (typeof LIMITS)[keyof typeof LIMITS]): string {
  const range = 'least' in limit ? `${limit.least} to ${limit.most}` : `at most ${limit.most}`
  return `| ${what} | ${range} ${unit} | ${source} |`
}

function errorRow({ code, http, message, source }: WireError, advice: string): string {
  return `| ${http} | \`${message}\` | \`${code}\` | ${advice} (${source}) |`
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
