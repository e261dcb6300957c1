"""Handles the events that the webhook stored. Runs beside the web server; several may run."""

import logging
import time

from django.core.management.base import BaseCommand

from karba import KarbaError
from shop.models import ReceivedEvent
from shop.payments import handle

log = logging.getLogger(__name__)
LOOK_EVERY_SECONDS = 0.5


class Command(BaseCommand):
    help = "Reads the payments of received events back, and delivers what was paid."

    def handle(self, *args: object, **options: object) -> None:
        while True:
            for received in ReceivedEvent.objects.filter(is_handled=False)[:100]:
                try:
                    handle(received)
                except KarbaError as error:
                    # It stays open, and is handled with the next look.
                    log.warning("event %s: %s", received.id, error)
            time.sleep(LOOK_EVERY_SECONDS)
