// The signed-in person's own settings: name and language, password, email address, authenticator app.
import encodeQR from 'qr'
import { z } from 'zod'
import { askForReset, changePassword, changeProfile, resetPassword } from '../actions/people/change-password.ts'
import { askForConfirmation, confirmAddress } from '../actions/people/sign-up.ts'
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes } from '../actions/people/totp.ts'
import { isRefused } from '../domain/refusal.ts'
import { NOTHING, personRoute, TEXT, visitorRoute } from './route.ts'
import { sessionBody } from './session-routes.ts'

const CODE = z.object({ code: TEXT })

export const ownRoutes = [
  personRoute(
    'PUT /profile',
    z.object({ name: TEXT, language: z.enum(['fr', 'en']) }),
    async (deps, caller, input, { session }) => {
      const changed = await changeProfile(deps, caller, input)
      return isRefused(changed) ? changed : sessionBody(deps, { ...session, person: { ...session.person, ...input } })
    },
  ),
  personRoute('POST /password', z.object({ current: TEXT, password: TEXT }), changePassword, { alwaysWorks: true }),
  visitorRoute('POST /password/forgotten', z.object({ email: TEXT }), askForReset),
  visitorRoute('POST /password/reset', z.object({ token: TEXT, password: TEXT }), resetPassword),
  personRoute('POST /confirmation', NOTHING, askForConfirmation),
  visitorRoute('POST /confirmation/confirm', z.object({ token: TEXT, password: TEXT }), confirmAddress),
  personRoute(
    'POST /totp/begin',
    NOTHING,
    async (deps, caller) => {
      const begun = await beginTotp(deps, caller)
      return isRefused(begun) ? begun : { ...begun, qrSvg: encodeQR(begun.uri, 'svg', { ecc: 'medium', border: 4 }) }
    },
    { alwaysWorks: true },
  ),
  personRoute('POST /totp/confirm', CODE, confirmTotp, { alwaysWorks: true }),
  personRoute('POST /totp/codes', CODE, renewRecoveryCodes),
  personRoute('POST /totp/remove', z.object({ password: TEXT, code: TEXT }), removeTotp),
]
