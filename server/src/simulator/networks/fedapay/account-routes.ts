// The addresses of customers, currencies, balances and webhooks at the simulated FedaPay.
import type { WireReaction } from '../network.ts'
import { NO_CONTENT, NO_SUCH_PATH, notFound, ok, refuseFields } from './reactions.ts'
import { wireCustomer, wireList } from './represent.ts'
import type { AcceptedRequest, RouteDeps } from './routes.ts'
import { customerFields, faultsOfCustomer } from './validate.ts'
import { wireEndpoint } from './webhooks.ts'

export function accountRoutes({ clock, customers, endpoints, faults, webhookSecret }: RouteDeps) {
  const refuse = refuseFields(faults)

  function customerRoute(request: AcceptedRequest, asked: string, id?: string): WireReaction {
    const { json, query } = request
    if (asked === 'GET 0') return ok(wireList('customers', customers.all().map(wireCustomer), query))
    const customer = id === undefined ? undefined : customers.byId(id)
    if (id !== undefined && customer === undefined) return notFound('Client')
    if (asked === 'GET 1' && customer) return ok({ 'v1/customer': wireCustomer(customer) })
    if (asked === 'DELETE 1' && customer) {
      customers.remove(customer.id)
      return NO_CONTENT
    }
    if (asked !== 'POST 0' && asked !== 'PUT 1') return NO_SUCH_PATH
    const errors = faultsOfCustomer(json)
    if (Object.keys(errors).length > 0) return refuse(request, 'L’enregistrement du client a échoué', errors)
    return ok({ 'v1/customer': wireCustomer(customers.save(customerFields(json), customer?.id)) })
  }

  function listRoute(
    { query }: AcceptedRequest,
    asked: string,
    id: string | undefined,
    { name, one, all }: { name: string; one: string; all: readonly object[] },
  ): WireReaction {
    if (asked === 'GET 0') return ok(wireList(name, all, query))
    if (asked !== 'GET 1') return NO_SUCH_PATH
    const object = all.find((each) => String((each as { id: number }).id) === id)
    return object === undefined ? notFound('Objet') : ok({ [`v1/${one}`]: object })
  }

  function webhookRoute(request: AcceptedRequest, asked: string, id?: string): WireReaction {
    const { json, query } = request
    if (asked === 'GET 0') return ok(wireList('webhooks', [...endpoints.values()].map(wireEndpoint), query))
    if (asked === 'POST 0') return saveEndpoint(request)
    const endpoint = endpoints.get(Number(id))
    if (endpoint === undefined) return notFound('Webhook')
    if (asked === 'DELETE 1') {
      endpoints.delete(endpoint.id)
      return NO_CONTENT
    }
    if (asked === 'PUT 1') {
      if (typeof json.enabled === 'boolean') endpoint.enabled = json.enabled
      if (typeof json.disable_on_error === 'boolean') endpoint.disableOnError = json.disable_on_error
    }
    return asked === 'GET 1' || asked === 'PUT 1' ? ok({ 'v1/webhook': wireEndpoint(endpoint) }) : NO_SUCH_PATH
  }

  function saveEndpoint(request: AcceptedRequest): WireReaction {
    const { url } = request.json
    if (typeof url !== 'string' || !URL.canParse(url)) {
      return refuse(request, 'La création du webhook a échoué', { url: ['n’est pas une URL valide'] })
    }
    const id = Math.max(0, ...endpoints.keys()) + 1
    const endpoint = {
      id,
      url,
      secret: webhookSecret,
      events: [],
      enabled: true,
      disableOnError: true,
      createdAt: clock.now(),
    }
    endpoints.set(id, endpoint)
    return ok({ 'v1/webhook': wireEndpoint(endpoint) })
  }

  return { customerRoute, listRoute, webhookRoute }
}
