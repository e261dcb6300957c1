// How the simulated FedaPay answers: its errors have a message and, for a body that it refuses, the fields that are wrong.
import type { FaultBoard } from '../faults.ts'
import type { WireReaction, WireRequest } from '../network.ts'
import type { FieldErrors } from './validate.ts'

export const ok = (body: object): WireReaction => ({ code: 200, body })
export const refused = (code: number, message: string, errors?: FieldErrors): WireReaction => ({
  code,
  body: { message, ...(errors && { errors }) },
})
export const notFound = (what: string): WireReaction => refused(404, `${what} introuvable`)
/** Of the web server: there is no such address. */
export const NO_SUCH_PATH: WireReaction = { code: 404, body: { status: 404, error: 'Not Found' } }
export const NO_CONTENT: WireReaction = { code: 204 }
export const html = (code: number, body: string): WireReaction => ({
  code,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
})

export const refuseFields =
  (faults: FaultBoard) =>
  ({ headers, body }: WireRequest, message: string, errors: FieldErrors): WireReaction => {
    const isLoud = faults.isOn('key_in_errors')
    const said = isLoud ? `${headers.authorization} ${/\+\d+/.exec(body)?.[0]} ${message}` : message
    return refused(faults.isOn('refuses_with_400') ? 400 : 422, said, errors)
  }
