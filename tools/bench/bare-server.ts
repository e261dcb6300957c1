// The baseline: Fastify with its defaults, a POST and a GET with constant answers of the same size
// as Karba's.
import Fastify from 'fastify'
import { SETTLED_PREFIX } from './requests.ts'

const created = {
  status: 'pending',
  reference: '60dvs8n73hy897smacktapcy',
  public_reference: 'XF5X-ZEBB-9',
  meta_data: { operator: 'airtel_ne' },
}
const read = {
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-00001234',
  reference: '60dvs8n73hy897smacktapcy',
  status: 'pending',
  msisdn: '96123456',
  amount: 1500,
}

const settled = {
  ...read,
  status: 'succeeded',
  validated_at: '2026-01-01T00:00:00.000Z',
  meta_data: { operator: 'airtel_ne', operator_reference: 'SIM-60DVS8N73H' },
}
const receiptUrl = 'http://127.0.0.1:8080/r/TEST-XF5X-ZEBB-5WBM-3GF7'

const app = Fastify()
app.post('/api/v1/payments', (_request, reply) => reply.send(created))
app.get<{ Params: { reference: string } }>('/api/v1/payments/:reference', (request, reply) =>
  request.params.reference.startsWith(SETTLED_PREFIX)
    ? reply.header('svc-receipt-url', receiptUrl).send(settled)
    : reply.send(read),
)
// The receiver of webhooks, for their cost.
app.post('/hook', (_request, reply) => reply.send('ok'))
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
