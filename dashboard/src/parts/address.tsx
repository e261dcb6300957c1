// An address that is broken where a reader would break it: after its slashes and full stops.
import { Fragment } from 'react'

export const Address = ({ url }: { url: string }) =>
  (url.match(/[^/.]+[/.]*/g) ?? [url]).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts do not move
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
