// What concerns only the person who is signed in: name and language, password, email address, authenticator app.
import encodeQR from 'qr'
import { z } from 'zod'
import { askForReset, changePassword, changeProfile, resetPassword } from '../actions/people/change-password.ts'
import { askForConfirmation, confirmAddress } from '../actions/people/sign-up.ts'
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes } from '../actions/people/totp.ts'
import { isRefused } from '../domain/refusal.ts'
import { defineRoute, NOTHING } from './route.ts'
import { sessionBody } from './session-routes.ts'

const TEXT = z.string().max(1_000)
const CODE = z.object({ code: TEXT })

export const ownRoutes = [
  defineRoute({
    method: 'PUT',
    path: '/profile',
    roles: 'person',
    input: z.object({ name: TEXT, language: z.enum(['fr', 'en']) }),
    handle: async (deps, caller, input, { session }) => {
      const changed = await changeProfile(deps, caller, input)
      return isRefused(changed) ? changed : sessionBody(deps, { ...session, person: { ...session.person, ...input } })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/password',
    roles: 'person',
    input: z.object({ current: TEXT, password: TEXT }),
    alwaysWorks: true,
    handle: changePassword,
  }),
  defineRoute({
    method: 'POST',
    path: '/password/forgotten',
    roles: 'visitor',
    input: z.object({ email: TEXT }),
    handle: askForReset,
  }),
  defineRoute({
    method: 'POST',
    path: '/password/reset',
    roles: 'visitor',
    input: z.object({ token: TEXT, password: TEXT }),
    handle: resetPassword,
  }),
  defineRoute({
    method: 'POST',
    path: '/confirmation',
    roles: 'person',
    input: NOTHING,
    handle: askForConfirmation,
  }),
  defineRoute({
    method: 'POST',
    path: '/confirmation/confirm',
    roles: 'visitor',
    input: z.object({ token: TEXT, password: TEXT }),
    handle: confirmAddress,
  }),
  defineRoute({
    method: 'POST',
    path: '/totp/begin',
    roles: 'person',
    input: NOTHING,
    alwaysWorks: true,
    handle: async (deps, caller) => {
      const begun = await beginTotp(deps, caller)
      return isRefused(begun) ? begun : { ...begun, qrSvg: encodeQR(begun.uri, 'svg', { ecc: 'medium', border: 4 }) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/totp/confirm',
    roles: 'person',
    input: CODE,
    alwaysWorks: true,
    handle: confirmTotp,
  }),
  defineRoute({ method: 'POST', path: '/totp/codes', roles: 'person', input: CODE, handle: renewRecoveryCodes }),
  defineRoute({
    method: 'POST',
    path: '/totp/remove',
    roles: 'person',
    input: z.object({ password: TEXT, code: TEXT }),
    handle: removeTotp,
  }),
]
