// Requests of merchants to what Karba adds to the contract, with the same four headers.
import { type Answer, head, postTo, type TestService } from '../kit/service.ts'

export async function getFrom(service: TestService, secretKey: string, path: string): Promise<Answer> {
  const answer = await service.app.inject({ method: 'GET', url: `/api/v1${path}`, headers: head(secretKey) })
  return { code: answer.statusCode, body: answer.json(), headers: answer.headers }
}

export const postAt = (service: TestService, secretKey: string, path: string, body: unknown = ''): Promise<Answer> =>
  postTo(service, `/api/v1${path}`, head(secretKey), body)
