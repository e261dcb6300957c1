// The menu at the end of a row: what can be done with what the row shows.
import { ActionIcon, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { MoreIcon } from './icons.tsx'

export const RowMenu = ({ label, children }: { label: string; children: ReactNode }) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="default" size={40} radius="md" aria-label={label}>
        <MoreIcon />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
)
