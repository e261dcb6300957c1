// The text that `npm start` prints. Keys are printed once, when the demo merchant is made, and never again.
import type { NewMerchant } from '../actions/merchants/create-merchant.ts'
import type { DemoPeople } from '../actions/people/demo-people.ts'
import type { Config } from '../config.ts'
import { BASE_PATH } from '../merchant-api/contract.ts'
import { operatorsFileOf, simulatedEnvironments } from './connect-operators.ts'

/** The demo merchant of a new store, with the keys and passwords that are shown once. */
export interface Demo extends NewMerchant {
  people: DemoPeople
}

export interface StartFacts {
  config: Config
  address: string
  /** Where emails are shown; undefined where they are sent. */
  mailPage: string | undefined
  demo: Demo | undefined
}

export function startText({ config, address, mailPage, demo }: StartFacts): string {
  const lines = ['', `Karba is ready at ${address}`, '', `  API        ${address}${BASE_PATH}`]
  lines.push(`  dashboard  ${address}/dashboard`)
  if (mailPage !== undefined) lines.push(`  emails     ${mailPage} (shown there and not sent: development mode)`)
  lines.push(`  reference  ${address}/docs`)
  lines.push(`  health     ${address}/healthz  ${address}/readyz  ${address}/metrics`)
  lines.push(`  store      ${config.databaseUrl.startsWith('sqlite:') ? config.databaseUrl : 'PostgreSQL'}`)
  lines.push(`  operators  ${operatorsSentence(config)}`)
  lines.push(`  webhooks   ${webhooksSentence(config)}`, '')
  lines.push(...(demo === undefined ? laterStart() : firstStart(address, demo)))
  return `${lines.join('\n')}\n`
}

function operatorsSentence(config: Config): string {
  const { connections, environments } = operatorsFileOf(config)
  const real = connections.map(({ environment, name }) => `${environment}/${name}`)
  const simulated = simulatedEnvironments(config, { environments })
  const rest =
    simulated.length === 0 ? [] : [`${simulated.toReversed().join(' and ')} simulated: no real money moves there`]
  const missing =
    simulated.includes('live') || environments.includes('live') ? [] : ['live has none yet and answers 403']
  return [...real, ...rest, ...missing].join('; ')
}

function webhooksSentence({ mode, webhookAllow }: Config): string {
  const listed = webhookAllow === '' ? '' : `, and to ${webhookAllow}`
  return mode === 'development'
    ? `to public addresses and to this machine${listed}: development mode`
    : `to public addresses${listed}`
}

function laterStart(): string[] {
  return [
    'Keys are shown once, when they are made. For a merchant and new keys:',
    '  npm run -s karba -- merchant create --name "Boutique Awa"',
    '  npm run -s karba -- merchant list',
    '  npm run -s karba -- keys roll <account>',
    'Somebody who runs the service in the dashboard’s console:',
    '  npm run -s karba -- operator create --name "Awa Diallo" --email awa@karba.example --role administrator',
    '',
  ]
}

function firstStart(address: string, { merchantId, accounts, people }: Demo): string[] {
  const { sandbox, live } = accounts
  return [
    `Sign in at ${address}/dashboard; these passwords are shown this once:`,
    `  the demo merchant’s owner   ${people.owner.email}  ${people.owner.password}`,
    `  staff                       ${people.administrator.email}  ${people.administrator.password}`,
    '',
    `A demo merchant was made (${merchantId}). These keys are shown this once:`,
    `  sandbox  ${sandbox.accountId}`,
    `           ${sandbox.publicKey}`,
    `           ${sandbox.secretKey}`,
    `  live     ${live.accountId}`,
    `           ${live.publicKey}`,
    `           ${live.secretKey}`,
    '  The live account waits for its validation:',
    `    npm run -s karba -- merchant validate ${merchantId} --environment live`,
    '',
    'A first payment:',
    `  curl -s ${address}${BASE_PATH}/payments \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -H 'Authorization: Bearer ${sandbox.secretKey}' \\`,
    `    -H 'Svc-Target-Environment: sandbox' \\`,
    `    -H 'Svc-Payment-Type: mobile' \\`,
    `    -d '{"amount":1500,"country":"NE","currency":"XOF","msisdn":"90123456","transaction_id":"order-1","customer_name":"Awa"}'`,
    '',
    'Its webhook, and the same for a receiver on this machine, which needs no endpoint:',
    `  npm run -s karba -- webhook add ${sandbox.accountId} --url https://shop.example/hook --secret-hash - < secret.txt`,
    `  KARBA_URL=${address} SVC_SECRET_KEY=${sandbox.secretKey} npx karba listen --forward-to http://localhost:3000/hook`,
    '',
  ]
}
