// Connections of tests, named as the simulated network's are: each by its operator, or by its method.
import type { Environment } from '../../src/domain/environment.ts'
import type { HostedMethodName } from '../../src/domain/payment-link.ts'
import type { HostedMethod, Operator } from '../../src/operators/operator.ts'
import type { Connected } from '../../src/operators/registry.ts'

export const prompting = (environment: Environment, operator: Operator): Connected => ({
  ...{ environment, operator, prompts: [operator.name], pages: [] },
})

export const paging = (environment: Environment, hosted: HostedMethod): Connected => ({
  ...{ environment, operator: hosted, hosted, prompts: [], pages: [hosted.name as HostedMethodName] },
})
