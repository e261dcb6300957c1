// Every command of karba on PostgreSQL: the table is commands-and-inputs.ts.
import { describe } from 'node:test'
import { POSTGRES } from '../kit/stores.ts'
import { everyCommandOn } from './every-command.ts'

describe('promise 36: every command as a process', () => everyCommandOn(POSTGRES))
