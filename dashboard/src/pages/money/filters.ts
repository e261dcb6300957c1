// What the pages of the books keep in their address.

/** A view can be bookmarked and sent to an accountant. */
export type MoneyFilters = Partial<Record<'place' | 'connection' | 'month' | 'day' | 'state' | 'order', string>>
