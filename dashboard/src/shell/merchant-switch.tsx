// For people who work for several merchants: the name at the head of the menu leads to the others.
import { Menu, UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { CheckIcon, ChooseIcon, Mark } from '../parts/icons.tsx'
import { type Place, startOf, useSession } from '../session/session.ts'
import { useWords } from '../words/language.tsx'

export function MerchantSwitch({ place: { merchant, role } }: { place: Place }) {
  const { shell } = useWords()
  const { merchants } = useSession()
  const navigate = useNavigate()
  return (
    <Menu position="bottom-start" width="target" radius="lg" shadow="md" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className="brand switch">
          <Mark size={32} />
          <span>
            <span className="hidden">{shell.switchMerchant}</span>
            <b>{merchant.name}</b>
            <small>{shell.roles[role]}</small>
          </span>
          <ChooseIcon size={18} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {merchants.map((each) => (
          <Menu.Item
            key={each.merchantId}
            leftSection={
              each.merchantId === merchant.merchantId ? <CheckIcon size={18} /> : <span className="no-icon" />
            }
            aria-current={each.merchantId === merchant.merchantId ? 'true' : undefined}
            onClick={() => void navigate({ to: `/a/${startOf(each)?.accountId}` })}
          >
            {each.name}
            <span className="sub">{shell.roles[each.role]}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
