// Sends a request to an operation of the contract, as a test has put it together, and gives back the answer as it came.
import type { Operation } from '../../src/merchant-api/contract.ts'
import type { TestService } from '../kit/service.ts'

export interface Sent {
  headers?: Record<string, string>
  /** In the place of `{reference}`. */
  reference?: string
  query?: Record<string, string>
  body?: Record<string, unknown>
}

export interface RawAnswer {
  code: number
  text: string
  headers: Record<string, string | string[] | number | undefined>
}

let addresses = 0
const newAddress = (): string => `10.2.${++addresses >> 8}.${addresses & 255}`

/** Each from an address of its own unless told otherwise, so that no limit for one address is met by accident. */
export async function ask(
  service: TestService,
  operation: Operation,
  sent: Sent,
  remoteAddress = newAddress(),
): Promise<RawAnswer> {
  const answer = await service.app.inject({
    method: operation.method,
    url: pathOf(operation, sent),
    headers: sent.headers ?? {},
    remoteAddress,
    ...(sent.body && { payload: JSON.stringify(sent.body) }),
  })
  return { code: answer.statusCode, text: answer.body, headers: answer.headers }
}

export function pathOf({ base, path }: Operation, { reference = '', query = {} }: Sent): string {
  const parameters = new URLSearchParams(query).toString()
  return base + path.replace('{reference}', encodeURIComponent(reference)) + (parameters && `?${parameters}`)
}
