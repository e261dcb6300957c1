// karba merchant invite: a letter that makes somebody a member of a merchant's team.
import { Command, Option } from 'commander'
import { inviteToMerchant } from '../actions/people/team.ts'
import { MERCHANT_ROLES, type MerchantRole } from '../domain/role.ts'
import { isoTime } from '../wire/json.ts'
import { granted } from './command-failed.ts'
import { print } from './print.ts'
import { withRuntime } from './with-runtime.ts'

interface InviteOptions {
  email: string
  role: MerchantRole
  json?: boolean
}

export const inviteCommand = (): Command =>
  new Command('invite')
    .description('Invites somebody to a merchant’s team in the dashboard, by a letter that works for seven days.')
    .argument('<merchant>', 'the merchant’s id')
    .requiredOption('--email <email>', 'where the letter goes')
    .addOption(new Option('--role <role>', 'what they may do').choices(MERCHANT_ROLES).default('owner'))
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s karba -- merchant invite mer_0123456789abcdef --email awa@boutique.example',
    )
    .action(invite)

async function invite(merchantId: string, { email, role, json }: InviteOptions): Promise<void> {
  const input = { merchantId, email, role }
  const invited = granted(await withRuntime((runtime, caller) => inviteToMerchant(runtime, caller, input)), {
    name: merchantId,
  })
  const until = isoTime(invited.endsAt)
  print(json, { invitation: invited.invitationId, email: invited.email, role, until }, [
    `${invited.email} is invited to ${invited.merchantName} as ${role}, until ${until}. A running server sends the letter.`,
  ])
}
