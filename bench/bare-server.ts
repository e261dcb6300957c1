// The baseline: Fastify with its defaults, a POST and a GET with constant bodies of the same size as Karba's.
import Fastify from 'fastify'

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

const app = Fastify()
app.post('/api/v1/payments', (_request, reply) => reply.send(created))
app.get('/api/v1/payments/:reference', (_request, reply) => reply.send(read))
// The receiver of webhooks, for their cost.
app.post('/hook', (_request, reply) => reply.send('ok'))
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
