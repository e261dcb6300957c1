// The sandbox phone: prompts to answer, a payment to try it with, and the table of test numbers.
import { z } from 'zod'
import { answerPrompt, createTestPayment, listPrompts } from '../actions/payments/sandbox-phone.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { operatorName } from '../domain/country.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { accountRoute, type DashboardDeps, NOTHING } from './route.ts'
import type { PhoneBody } from './shapes.ts'

export const phoneRoutes = [
  accountRoute('GET /phone', 'read', NOTHING, (deps, caller) => phoneBody(deps, caller)),
  accountRoute('POST /phone', 'useSandboxPhone', NOTHING, async (deps, caller): Promise<PhoneBody | Refused> => {
    const made = await createTestPayment(deps, caller)
    return isRefused(made) ? made : phoneBody(deps, caller)
  }),
  accountRoute(
    'POST /phone/:reference',
    'useSandboxPhone',
    z.object({ reference: z.string(), answer: z.enum(['approve', 'decline', 'no_credit', 'ignore']) }),
    async (deps, caller, { reference, answer }): Promise<PhoneBody | Refused> => {
      const answered = await answerPrompt(deps, caller, { reference, answer })
      return isRefused(answered) ? answered : phoneBody(deps, caller)
    },
  ),
]

async function phoneBody(deps: DashboardDeps, caller: MerchantPerson): Promise<PhoneBody | Refused> {
  const listed = await listPrompts(deps, caller)
  if ('refused' in listed) return listed
  const { merchantName, prompts } = listed
  return {
    prompts: prompts.map(({ reference, operator, msisdn, msisdnWritten, amountXof, requestedAt }) => ({
      ...{ reference, operatorName: operatorName(operator), msisdn: msisdnWritten ?? msisdn },
      ...{ amount: amountXof, merchantName, createdAt: requestedAt },
    })),
    testNumbers: caller.environment === 'sandbox' ? [...deps.testNumbers] : [],
  }
}
