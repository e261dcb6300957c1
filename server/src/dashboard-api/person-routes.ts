// Sign-in, sign-up, sign-out, invitations, and the person's own sessions, profile, password and
// TOTP.
import type { FastifyReply, FastifyRequest } from 'fastify'
import encodeQR from 'qr'
import { z } from 'zod'
import { chooseEmail, listEmailChoices } from '../actions/notices/notices.ts'
import {
  askForReset,
  changePassword,
  changeProfile,
  checkEmailLink,
  resetPassword,
} from '../actions/people/change-password.ts'
import {
  type Browser,
  endAllSessions,
  endSession,
  listOwnSessions,
  listWorkplaces,
  type OpenSession,
  openSession,
  type StartedSession,
} from '../actions/people/sessions.ts'
import { signIn } from '../actions/people/sign-in.ts'
import { askForConfirmation, confirmAddress, signUp } from '../actions/people/sign-up.ts'
import { acceptInvitation, readInvitation } from '../actions/people/team.ts'
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes } from '../actions/people/totp.ts'
import type { Visitor } from '../domain/people/caller.ts'
import { CHOSEN_NOTICES } from '../domain/people/notice.ts'
import { shownEmail } from '../domain/people/person.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { LANGUAGES } from '../domain/texts/language.ts'
import type { RouteHttp } from './callers.ts'
import { type DashboardDeps, NOTHING, personRoute, TEXT, visitorRoute } from './route.ts'
import type { AccountRow, EmailRow, PageOf, SessionBody, SessionRow } from './shapes.ts'

const LANGUAGE = z.enum(LANGUAGES)
const CODE = z.object({ code: TEXT })

export const personRoutes = [
  personRoute(
    'GET /session',
    NOTHING,
    (deps, _caller, _input, { session }) => sessionBody(deps, session),
    {
      alwaysWorks: true,
    },
  ),
  visitorRoute(
    'POST /sign-in',
    z.object({ email: TEXT, password: TEXT, code: TEXT.optional() }),
    async (deps, caller, input, http) =>
      begin(
        deps,
        caller,
        http,
        await signIn(deps, caller, { ...input, ...browserOf(deps, http.request) }),
      ),
  ),
  visitorRoute(
    'POST /sign-up',
    z.object({ name: TEXT, email: TEXT, password: TEXT, merchantName: TEXT, language: LANGUAGE }),
    async (deps, caller, input, http): Promise<SessionBody | Refused> => {
      const signedUp = await signUp(deps, caller, { ...input, ...browserOf(deps, http.request) })
      return isRefused(signedUp) ? signedUp : beginSession(deps, caller, http, signedUp)
    },
  ),
  visitorRoute('POST /invitation/read', z.object({ token: TEXT }), readInvitation),
  visitorRoute(
    'POST /invitation/accept',
    z
      .object({ token: TEXT, password: TEXT })
      .extend(z.object({ code: TEXT, name: TEXT, language: LANGUAGE }).partial().shape),
    async (deps, caller, input, http) =>
      begin(
        deps,
        caller,
        http,
        await acceptInvitation(deps, caller, { ...input, ...browserOf(deps, http.request) }),
      ),
  ),
  personRoute(
    'POST /sign-out',
    NOTHING,
    async (deps, caller, _input, { reply }) => {
      clearSessionCookie(reply, deps.publicUrl)
      return endSession(deps, caller, { sessionId: caller.sessionId })
    },
    { alwaysWorks: true },
  ),
  personRoute(
    'POST /sign-out-everywhere',
    NOTHING,
    async (deps, caller, _input, { reply }) => {
      clearSessionCookie(reply, deps.publicUrl)
      return endAllSessions(deps, caller)
    },
    { alwaysWorks: true },
  ),
  personRoute('GET /sessions', NOTHING, async (deps, caller): Promise<PageOf<SessionRow>> => {
    const { rows } = await listOwnSessions(deps, caller)
    const shown = rows.map(({ sessionId, isThis, startedAt, usedAt, network, browser }) => ({
      sessionId,
      isThis,
      network,
      browser,
      createdAt: startedAt,
      lastSeenAt: usedAt,
    }))
    return { rows: shown, next: null }
  }),
  personRoute('POST /sessions/:sessionId/end', z.object({ sessionId: TEXT }), endSession),
  personRoute(
    'PUT /profile',
    z.object({ name: TEXT, language: LANGUAGE }),
    async (deps, caller, input, { session }) => {
      const changed = await changeProfile(deps, caller, input)
      return isRefused(changed)
        ? changed
        : sessionBody(deps, { ...session, person: { ...session.person, ...input } })
    },
  ),
  personRoute('GET /emails', NOTHING, async (deps, caller): Promise<PageOf<EmailRow> | Refused> => {
    const choices = await listEmailChoices(deps, caller)
    return isRefused(choices) ? choices : { rows: choices.rows, next: null }
  }),
  personRoute(
    'PUT /emails',
    z.object({ kind: z.enum(CHOSEN_NOTICES), isOn: z.boolean() }),
    chooseEmail,
  ),
  personRoute('POST /password', z.object({ current: TEXT, password: TEXT }), changePassword, {
    alwaysWorks: true,
  }),
  visitorRoute('POST /password/forgotten', z.object({ email: TEXT }), askForReset),
  visitorRoute('POST /email-link/check', z.object({ token: TEXT }), checkEmailLink),
  visitorRoute('POST /password/reset', z.object({ token: TEXT, password: TEXT }), resetPassword),
  personRoute('POST /confirmation', NOTHING, askForConfirmation),
  visitorRoute(
    'POST /confirmation/confirm',
    z.object({ token: TEXT, password: TEXT }),
    confirmAddress,
  ),
  personRoute(
    'POST /totp/begin',
    NOTHING,
    async (deps, caller) => {
      const begun = await beginTotp(deps, caller)
      return isRefused(begun)
        ? begun
        : { ...begun, qrSvg: encodeQR(begun.uri, 'svg', { ecc: 'medium', border: 4 }) }
    },
    { alwaysWorks: true },
  ),
  personRoute('POST /totp/confirm', CODE, confirmTotp, { alwaysWorks: true }),
  personRoute('POST /totp/codes', CODE, renewRecoveryCodes),
  personRoute('POST /totp/remove', z.object({ password: TEXT, code: TEXT }), removeTotp),
]

const browserOf = ({ publicUrl }: DashboardDeps, request: FastifyRequest): Browser => ({
  browser: request.headers['user-agent'] ?? '',
  heldToken: tokenOf(request, publicUrl),
})

async function begin(
  deps: DashboardDeps,
  visitor: Visitor,
  http: RouteHttp,
  started: StartedSession | Refused,
) {
  return isRefused(started) ? started : beginSession(deps, visitor, http, started)
}

async function beginSession(
  deps: DashboardDeps,
  visitor: Visitor,
  { reply }: RouteHttp,
  { token, endsAt }: StartedSession,
): Promise<SessionBody> {
  setSessionCookie(reply, deps.publicUrl, token, endsAt - deps.clock.now())
  return sessionBody(deps, (await openSession(deps, visitor, { token })) as OpenSession)
}

export const accountRow = ({ accountId, environment, status, reason }: AccountRow): AccountRow => ({
  accountId,
  environment,
  status,
  reason,
})

export async function sessionBody(
  deps: DashboardDeps,
  { person, caller, viewing, mustDo }: OpenSession,
): Promise<SessionBody> {
  const { personId, name, unconfirmedEmail, language, totpSince, serviceRole } = person
  const workplaces = await listWorkplaces(deps, caller, { viewing })
  return {
    person: {
      personId,
      name,
      email: shownEmail(person),
      language,
      isConfirmed: unconfirmedEmail === null,
      totp: totpSince !== null,
    },
    merchants: workplaces.map((merchant) => ({
      ...merchant,
      accounts: merchant.accounts.map(accountRow),
    })),
    service: serviceRole === null ? null : { role: serviceRole },
    viewing: viewing && {
      merchantId: viewing.merchantId,
      reason: viewing.reason,
      until: viewing.until,
    },
    mustDo,
  }
}

const isHttps = (publicUrl: string): boolean => publicUrl.startsWith('https:')

const nameOf = (publicUrl: string): string => (isHttps(publicUrl) ? '__Host-karba' : 'karba')

const TOKEN = /^[\w-]{43}$/

/** The session's token; undefined without exactly one well-formed token. */
export function tokenOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  publicUrl: string,
): string | undefined {
  const name = `${nameOf(publicUrl)}=`
  const found = (headers.cookie ?? '').split(';').map((each) => each.trim())
  const [token, ...more] = found
    .filter((each) => each.startsWith(name))
    .map((each) => each.slice(name.length))
  return token !== undefined && more.length === 0 && TOKEN.test(token) ? token : undefined
}

const setSessionCookie = (
  reply: FastifyReply,
  publicUrl: string,
  token: string,
  lastsMs: number,
): void => writeCookie(reply, publicUrl, token, Math.floor(lastsMs / 1_000))

const clearSessionCookie = (reply: FastifyReply, publicUrl: string): void =>
  writeCookie(reply, publicUrl, '', 0)

function writeCookie(reply: FastifyReply, publicUrl: string, value: string, seconds: number): void {
  const secure = isHttps(publicUrl) ? '; Secure' : ''
  const cookie = `${nameOf(publicUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
  reply.header('set-cookie', cookie)
}
