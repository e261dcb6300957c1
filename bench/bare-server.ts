// The baseline: Fastify with its defaults, and a POST and a GET whose bodies have the size of ours. All answers are constants.
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
// A merchant's server, for the cost of webhooks.
app.post('/hook', (_request, reply) => reply.send('ok'))
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
