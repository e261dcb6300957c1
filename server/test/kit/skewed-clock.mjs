// Loaded before a process of the service: its machine's clock is off by CLOCK_AHEAD_MS. Only the wall clock is, as on a real machine.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS)
const { now } = Date
Date.now = () => now() + aheadMs
