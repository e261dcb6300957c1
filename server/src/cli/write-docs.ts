// npm run docs: writes the generated documents and the SDK's types. A test fails when a file differs.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BUTTON_SCRIPT } from '../checkout/button-routes.ts'
import { SETTINGS } from '../config.ts'
import { FAILURE_REASONS, isFinal, MOVES, STATUSES } from '../domain/payment-status.ts'
import { type MerchantRefusal, OPERATIONS } from '../merchant-api/contract.ts'
import { GENERAL_ERROR_ADVICE, openApi } from '../merchant-api/openapi.ts'
import { type Ending, SCENARIOS, type Scenario } from '../simulator/scenarios.ts'
import { GENERAL_ERRORS, type GeneralError } from '../wire/error.ts'
import { plainSentence, WIRE_ERRORS } from '../wire/refusals.ts'
import { operatorsFileLines, operatorsFileSchema } from './network-docs.ts'

const FOLDER = new URL('../../../docs/', import.meta.url)
const SDK_TYPES = new URL('../../../sdk/write-types.ts', import.meta.url)
const NOTICE = '<!-- Made from the code by `npm run docs`. Change the table it comes from, not this page. -->'

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
    'Environment variables; lists are separated by commas. A bad value, or an unknown name that begins with `KARBA_`, stops the start with one sentence.',
    '`npm run -s karba -- config` prints the values in force.',
    '',
    '| variable | default | meaning |',
    '|---|---|---|',
    ...rows,
  ])
}

function errorsPage(): string {
  const used = new Set<MerchantRefusal>(Object.values(OPERATIONS).flatMap(({ refusals }) => refusals))
  const refusals = [...used].map((name) => ({ ...WIRE_ERRORS[name], advice: plainSentence(name, 'en') }))
  const others = Object.entries(GENERAL_ERRORS).map(([name, error]) => ({
    ...error,
    advice: GENERAL_ERROR_ADVICE[name as GeneralError],
  }))
  const byStatus = [...Map.groupBy([...refusals, ...others], ({ http }) => http)].sort(([a], [b]) => a - b)
  return page('Errors', [
    'An error is JSON with `message`, and with `"status":"failed"` on every 422. The header `Svc-Error-Code` names the error, `Svc-Error-Param` the',
    'header, field or parameter at fault, if it is a single one. Quote `X-Request-Id` to the operator of the service. `/docs` lists the errors of each',
    'operation. The first failed check decides, in the order of [D-01](contract.md#d-01), [D-06](contract.md#d-06), [D-49](contract.md#d-49) and',
    '[D-52](contract.md#d-52).',
    ...byStatus.flatMap(([http, errors]) => [
      '',
      `## ${http}`,
      '',
      '| `Svc-Error-Code` | message | cause and remedy |',
      '|---|---|---|',
      ...errors.map(({ code, message, advice }) => `| \`${code}\` | \`${message}\` | ${advice} |`),
    ]),
  ])
}

function checkoutScriptPage(): string {
  const { path, integrity, text } = BUTTON_SCRIPT
  return page('The script of the button', [
    `Pin a reviewed script (${Buffer.byteLength(text)} bytes) by its hash:`,
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
    'Each version has its own address. Before an update, keep the old script as `server/src/checkout/scripts/button-<version>.min.js`: pages that',
    'pinned it then keep working. [How to use the button](payment-links.md#the-button).',
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
  const rows = [...Map.groupBy(SCENARIOS, ({ about }) => about)].map(([about, same]) => {
    const numbers = same.map(({ msisdn }) => `\`${msisdn}\``).join(', ')
    return `| ${numbers} | ${endingText((same[0] as Scenario).ending)} | ${about} |`
  })
  return page('The sandbox', [
    'In sandbox, and in live in development mode, payments go to a simulated network. The payer’s number decides the outcome, after',
    '`KARBA_SANDBOX_DELAY_MS` unless the row says otherwise. Any other number succeeds; with `KARBA_SANDBOX_SEED` about 70 % do. Test numbers are',
    'valid for both countries, with or without country code. Cards and wallets get a simulated provider’s page. The dashboard’s sandbox phone',
    'answers any open prompt.',
    '',
    '| msisdn | outcome | behaviour |',
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

if (import.meta.main) {
  for (const [name, text] of Object.entries(generatedDocs())) {
    writeFileSync(new URL(name, FOLDER), text)
    process.stdout.write(`docs/${name}\n`)
  }
  execFileSync(process.execPath, [fileURLToPath(SDK_TYPES)], { stdio: 'inherit' })
}
