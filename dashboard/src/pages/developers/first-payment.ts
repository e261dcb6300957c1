// A first payment to paste into a terminal, as the documentation has it.
import type { EnvironmentName } from '../../../../server/src/dashboard-api/shapes.ts'

export const firstPayment = (origin: string, environment: EnvironmentName): string =>
  [
    `curl -s ${origin}/api/v1/payments \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H 'Authorization: Bearer sk_${environment}_…' \\`,
    `  -H 'Svc-Target-Environment: ${environment}' \\`,
    `  -H 'Svc-Payment-Type: mobile' \\`,
    `  -d '{"amount":1500,"country":"NE","currency":"XOF","msisdn":"90123456","transaction_id":"order-1","customer_name":"Awa"}'`,
  ].join('\n')
