// Errors of the page and of the routes, in English. A refusal comes with its own sentence from the server.
import type { Words } from '../words.ts'

export const errors: Words['errors'] = {
  byCode: {
    unreachable: 'The server does not answer. Check your connection and try again.',
    unexpected: 'Something went wrong on our side. Try again in a moment.',
    signed_out: 'Your session has ended. Sign in again.',
    too_many_requests: 'Too many requests. Wait a little before you try again.',
    export_under_way: 'Your last export is still under way. Wait until it is there, then try again.',
    too_many_exports: 'Others are exporting just now. Try again in a few seconds.',
    unavailable: 'The service is unavailable for the moment. Nothing was changed.',
    cross_site:
      'This request did not come from the address of this service. Open the dashboard at its own address (PUBLIC_URL) and try again.',
    role_not_allowed: 'Your role does not allow this.',
    input_not_valid: 'Something is missing or not valid.',
    email_unconfirmed: 'First confirm your email address: open the link in our message.',
    document_not_valid: 'A document is a PDF, JPEG or PNG of 5 MB at most.',
  },
  byStatus: {
    400: 'Something is missing or not valid.',
    403: 'Your role does not allow this.',
    404: 'Not found.',
    409: 'This has changed in the meantime. Reload the page.',
    413: 'This is too large.',
    422: 'Something is not valid.',
    429: 'Too many requests. Wait a little before you try again.',
    503: 'The service is unavailable for the moment. Nothing was changed.',
  },
  waitSeconds: (seconds: number) =>
    `Try again in ${seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`,
  title: 'That did not work',
}
