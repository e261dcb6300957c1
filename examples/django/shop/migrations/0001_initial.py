"""The tables of the shop."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.CharField(max_length=36, primary_key=True, serialize=False)),
                ("amount", models.PositiveIntegerField()),
                ("currency", models.CharField(max_length=3)),
                ("status", models.CharField(default="pending", max_length=10)),
                ("why", models.TextField(default="")),
            ],
        ),
        migrations.CreateModel(
            name="ReceivedEvent",
            fields=[
                ("id", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("transaction_id", models.CharField(max_length=255)),
                ("is_handled", models.BooleanField(db_index=True, default=False)),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "order",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        serialize=False,
                        to="shop.order",
                    ),
                ),
            ],
        ),
    ]
