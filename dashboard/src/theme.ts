// The look: indigo where money is real and amber in the sandbox, on light or dark. System fonts
// only.
import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core'
import type { EnvironmentName } from '../../server/src/dashboard-api/contract.ts'

const colours = (ten: string) => ten.split(' ') as unknown as MantineColorsTuple

const INDIGO = colours(
  '#eef0fd #dcdff8 #b8bef0 #939be6 #7079dc #5660cf #434dbb #353f9f #2b3583 #222a69',
)

const AMBER = colours(
  '#fff4e6 #fde6cb #f8cb98 #f2ad5f #ea9333 #d97b12 #bb6403 #9f5200 #8a4700 #6e3800',
)

/** From text to the ground below everything, as Mantine orders its dark colours. */
const NIGHT = colours(
  '#ece9f2 #c9c4d6 #aaa4bb #7d7791 #4a4560 #393450 #2a2640 #1e1b2f #161424 #100e1b',
)

const shared: MantineThemeOverride = {
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  colors: { indigo: INDIGO, amber: AMBER, dark: NIGHT },
  primaryShade: { light: 8, dark: 6 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.5 },
      },
    },
    Button: { defaultProps: { radius: 'md' } },
    // Sixteen pixels: with less, an iPhone zooms into every field that is touched.
    TextInput: { defaultProps: { size: 'md' } },
    NativeSelect: { defaultProps: { size: 'md' } },
    Textarea: { defaultProps: { size: 'md' } },
    // The placeholder would be a child that no menu may have.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
}

export const THEMES: Readonly<Record<EnvironmentName, MantineThemeOverride>> = {
  live: createTheme({ ...shared, primaryColor: 'indigo' }),
  // White on amber 6 has a contrast of 4.3.
  sandbox: createTheme({ ...shared, primaryColor: 'amber', primaryShade: { light: 8, dark: 7 } }),
}

/**
 * Mantine's grey for descriptions has a contrast of 3.3 on white, its red for faults and removals
 * 3.2; ours have at least 4.5. And its light variants are nearly black at night, where they would
 * not stand out from the page.
 */
export const readableColours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#625c6e',
    '--mantine-color-placeholder': '#736d7f',
    '--mantine-color-red-6': '#c92a2a',
    '--mantine-color-red-light-hover': '#ffe3e3',
  },
  dark: {
    '--mantine-color-dimmed': '#aaa4bb',
    '--mantine-color-placeholder': '#9a94ac',
    '--mantine-color-error': '#ffa8a8',
    '--mantine-color-red-6': '#ffa8a8',
    '--mantine-color-indigo-light': '#2a2d5c',
    '--mantine-color-indigo-light-hover': '#333770',
    '--mantine-color-indigo-light-color': '#dcdff8',
    '--mantine-color-amber-light': '#46300f',
    '--mantine-color-amber-light-hover': '#543a13',
    '--mantine-color-amber-light-color': '#fde6cb',
  },
})

// The value that the server's policy wants on every <style> that a script adds. It is new with
// every load of the page.
export const styleNonce =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
