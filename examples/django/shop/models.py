"""Orders, their deliveries, and the events that were received."""

from django.db import models


class Order(models.Model):
    """Its id is the transaction_id of its payment."""

    id = models.CharField(primary_key=True, max_length=36)
    amount = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    status = models.CharField(max_length=10, default="pending")
    why = models.TextField(default="")


class Delivery(models.Model):
    """One row for an order: a second one cannot be written."""

    order = models.OneToOneField(Order, primary_key=True, on_delete=models.PROTECT)


class ReceivedEvent(models.Model):
    """One row for an event, however often it arrives."""

    id = models.CharField(primary_key=True, max_length=64)
    transaction_id = models.CharField(max_length=255)
    is_handled = models.BooleanField(default=False, db_index=True)
