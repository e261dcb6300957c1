// The people of the fake server: sign-in, session, security, invitation.
import type {
  Confirmed,
  InvitationBody,
  SessionBody,
  SessionRow,
  TotpSetup,
} from '../../server/src/dashboard-api/shapes.ts'
import { type Answer, type Asked, ok, type World } from './fixture-world.ts'

export const SANDBOX = 'acc_sandbox1'
export const LIVE = 'acc_live0001'
/** Of the second merchant. */
export const SUSPENDED = 'acc_live0002'

const HOUR = 3_600_000
export const QR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 29 29"><path fill="#fff" d="M0 0h29v29H0z"/><path fill="#000" d="M4 4h7v7H4zM18 4h7v7h-7zM4 18h7v7H4zM13 5h3v3h-3zM14 12h2v4h-2zM19 14h5v3h-5zM13 20h4v5h-4zM20 20h5v5h-5zM6 13h4v3H6z"/><path fill="#fff" d="M6 6h3v3H6zM20 6h3v3h-3zM6 20h3v3H6z"/></svg>`

export function session({ amount, who }: World): SessionBody {
  const isService = who === 'administrator'
  return {
    person: {
      personId: 'per_1',
      name: isService ? 'Ibrahim Moussa' : 'Awa Diallo',
      email: isService ? 'ibrahim@karba.example' : 'awa@boutique.example',
      isConfirmed: who !== 'newcomer',
      language: 'fr',
      totp: amount === 'year',
    },
    merchants: isService
      ? []
      : [
          {
            merchantId: 'mer_1',
            name: 'Boutique Awa',
            role: who === 'cashier' || who === 'viewer' ? who : 'owner',
            accounts: [
              { accountId: SANDBOX, environment: 'sandbox', status: 'validated', reason: null },
              {
                accountId: LIVE,
                environment: 'live',
                status: amount === 'none' ? 'unvalidated' : 'validated',
                reason: null,
              },
            ],
          },
          ...(who === 'owner' ? [secondMerchant] : []),
        ],
    service: isService ? { role: 'administrator' } : null,
    viewing: null,
    mustDo: null,
  }
}

const secondMerchant: SessionBody['merchants'][number] = {
  merchantId: 'mer_2',
  name: 'École Les Étoiles de Tillabéri',
  role: 'viewer',
  accounts: [
    {
      ...{ accountId: SUSPENDED, environment: 'live', status: 'suspended' },
      reason: 'Trop de réclamations en octobre : appelez-nous.',
    },
  ],
}

const sessions = (now: number): SessionRow[] => [
  {
    sessionId: 'ses_1',
    isThis: true,
    createdAt: now - 2 * HOUR,
    lastSeenAt: now - 60_000,
    network: '197.214.11.0/24',
    browser: 'Chrome, Android',
  },
  {
    sessionId: 'ses_2',
    isThis: false,
    createdAt: now - 90 * HOUR,
    lastSeenAt: now - 26 * HOUR,
    network: '41.138.60.0/24',
    browser: 'Firefox, Windows',
  },
]

const SETUP: TotpSetup = { secret: 'JBSW Y3DP EHPK 3PXP', uri: 'otpauth://totp/Karba', qrSvg: QR }

/** Undefined for what is not about people. */
export function peopleAnswers({ method, path }: Asked, world: World): Answer | undefined {
  const isSignedIn = world.who !== 'nobody'
  switch (`${method} ${path}`) {
    case 'GET session':
      return isSignedIn ? ok(session(world)) : { status: 401, body: { code: 'signed_out' } }
    case 'PUT profile':
    case 'POST sign-in':
    case 'POST sign-up':
    case 'POST invitation/accept':
      return ok(session({ ...world, who: isSignedIn ? world.who : 'owner' }))
    case 'POST invitation/read':
      return ok({
        ...{ merchantId: 'mer_1', merchantName: 'Boutique Awa' },
        ...{ email: 'moussa@example.com', role: 'cashier', isKnown: false },
      } satisfies InvitationBody)
    case 'POST confirmation/confirm':
      return ok({ email: 'awa@boutique.example' } satisfies Confirmed)
    case 'GET sessions':
      return isSignedIn ? ok({ rows: sessions(world.now), next: null }) : undefined
    case 'POST totp/begin':
      return ok(SETUP)
    case 'POST totp/confirm':
    case 'POST totp/codes':
      return ok({ recoveryCodes: Array.from({ length: 10 }, (_, at) => `k4rb-a${at}xy-7q2m`) })
    case 'POST sign-out':
    case 'POST sign-out-everywhere':
    case 'POST password/forgotten':
    case 'POST confirmation':
    case 'POST password/reset':
    case 'POST password':
    case 'POST totp/remove':
      return ok({})
    default:
      return undefined
  }
}
